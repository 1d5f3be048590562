"""The only part that imports and runs user code: instrumentation, sampling, replay, isolation."""
