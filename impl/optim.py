"""The optimiser: AdamW, its learning rate over the steps, and clipping of the gradient."""

import numpy as np

from impl.arrays import Params


class AdamW:
    """Adam with decoupled weight decay (Kingma and Ba, 2015; Loshchilov and Hutter, 2019).

    `m` and `v` hold the first and second moments, of the parameters' shapes; `t` counts the steps.
    """

    def __init__(
        self,
        params: Params,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: float = 0.01,
    ) -> None:
        self.beta1 = beta1
        self.beta2 = beta2
        self.eps = eps
        self.weight_decay = weight_decay
        self.t = 0
        self.m = {k: np.zeros_like(w) for k, w in params.items()}
        self.v = {k: np.zeros_like(w) for k, w in params.items()}

    def step(self, params: Params, grads: Params, lr: float) -> None:
        """Move every parameter, in place, against its gradient. Only arrays of two or more axes are decayed.

        Computes adamw.first_moment, .second_moment, .m_hat, .v_hat, .raw_update, .decoupled_decay and
        .parameter_step; the decay uses the parameters as they were before the step.
        """
        self.t += 1
        for k in params:
            self.m[k] = self.beta1 * self.m[k] + (1.0 - self.beta1) * grads[k]
            self.v[k] = self.beta2 * self.v[k] + (1.0 - self.beta2) * grads[k] ** 2
            m_hat = self.m[k] / (1.0 - self.beta1**self.t)
            v_hat = self.v[k] / (1.0 - self.beta2**self.t)
            update = m_hat / (np.sqrt(v_hat) + self.eps)
            if params[k].ndim >= 2:
                update += self.weight_decay * params[k]
            params[k] -= lr * update


def lr_schedule(t: int, lr_max: float, lr_min: float, t_warm: int, t_total: int) -> float:
    """Return the learning rate of step t, counted from 1: linear warmup, half a cosine, then the floor.

    Computes lr_schedule.warmup, lr_schedule.decay_progress and lr_schedule.cosine_decay (Loshchilov and Hutter,
    2017, equation 5, without restarts). Steps past t_total stay at lr_min.
    """
    if t_warm > 0 and t <= t_warm:
        return lr_max * t / t_warm
    if t > t_total:
        return lr_min
    f = (t - t_warm) / (t_total - t_warm)
    lr: float = lr_min + 0.5 * (lr_max - lr_min) * (1.0 + np.cos(np.pi * f))
    return lr


def clip_grad_norm(grads: Params, max_norm: float) -> float:
    """Scale all gradients, in place, to a joint L2 norm of max_norm where they exceed it; return the norm before.

    Computes gradient_clipping.global_norm and gradient_clipping.rescale (Pascanu et al., 2013, algorithm 1).
    """
    norm: float = np.sqrt(sum((g**2).sum() for g in grads.values()))
    if norm > max_norm:
        for k in grads:
            grads[k] *= max_norm / norm
    return norm
