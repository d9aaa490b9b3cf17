"""Pieces of an upload as bytes: the kit has no writer for their media type."""

import schemathesis
from hypothesis import strategies as st

schemathesis.openapi.format("binary", st.binary(max_size=64).map(lambda value: value.decode("latin-1")))


@schemathesis.serializer("application/offset+octet-stream")
def octets(ctx, value):
    return value.encode("latin-1", "replace") if isinstance(value, str) else bytes(str(value), "utf-8")
