"""TTGIR as data: parse, inspect, print."""
