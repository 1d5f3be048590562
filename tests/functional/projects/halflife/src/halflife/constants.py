"""Constants that several modules share."""

import math

HALF_LOG_2PI = 0.9189385332046728  # log(2 pi)/2
FWHM_PER_SIGMA = 2.0 * math.sqrt(2.0 * math.log(2.0))
