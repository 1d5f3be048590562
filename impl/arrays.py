"""The array types that the model's functions take and return."""

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
"""Real values, always float64."""

Ids = npt.NDArray[np.int64]
"""Token ids, each from 0 to V - 1."""

Params = dict[str, Array]
"""Parameters by name, or their gradients under the same names."""
