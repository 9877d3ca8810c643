"""What is asked about a type while a kernel is traced."""

import triton.language as tl

import tlx
from tlx import errors

from .case import refused


@refused(errors.DtypeMismatch, "get_fp8_format_name takes fp8e5 or fp8e4nv, not triton.language.float16")
def format_of_fp16():
    tlx.get_fp8_format_name(tl.float16)  # <- error
