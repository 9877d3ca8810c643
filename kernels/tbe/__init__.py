"""Table-batched embeddings: many tables looked up and trained in one launch."""
