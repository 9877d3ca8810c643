"""What is asked about types and lanes."""

import triton.language as tl

import tlx
from tlx import errors

from .case import refused


@refused(errors.DtypeMismatch, "get_fp8_format_name takes fp8e5 or fp8e4nv, not triton.language.float16")
def format_of_fp16():
    tlx.get_fp8_format_name(tl.float16)  # <- error


@refused(errors.InvalidThreadOp, "the mask of a tensor's votes must be a compile-time integer", y="*i32", mask="i32")
def votes_of_lanes_known_at_run_time(y, mask):
    tlx.vote_ballot_sync(mask, tl.load(y + tl.arange(0, 128)) > 0)  # <- error
