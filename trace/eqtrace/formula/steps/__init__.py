"""Steps of worked examples: NumPy expressions read through a whitelist into a small tree that back ends walk."""
