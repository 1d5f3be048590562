"""The differentiable pieces of the model, each forward beside its backward.

A backward function takes what its forward used, then the gradient of the loss by the forward's output, and returns
the gradients by the forward's inputs. Shapes: T positions, a inputs and c outputs of a linear layer, d features,
V tokens; a leading `...` stands for any axes. Ids such as `linear.linear` name equations of the specification.
"""

import numpy as np

from impl.arrays import Array, Ids

LayerNormCache = tuple[Array, Array, Array]
"""Normalised input (..., d), inverse deviation (..., 1), scale (d,)."""


def xavier_uniform(fan_in: int, fan_out: int, rng: np.random.Generator) -> Array:
    """Draw a (fan_in, fan_out) matrix, uniform on [-a, a] (Glorot and Bengio, 2010, equation 16).

    Computes xavier_uniform.limit and xavier_uniform.draw.
    """
    a = np.sqrt(6.0 / (fan_in + fan_out))
    return rng.uniform(-a, a, size=(fan_in, fan_out))


def linear_forward(X: Array, W: Array, b: Array) -> Array:
    """Map X (T, a) by W (a, c) and b (c,) to Y (T, c).

    Computes linear.linear, and with it matmul.product_entry and matmul.linear_entry.
    """
    return X @ W + b


def linear_backward(X: Array, W: Array, dY: Array) -> tuple[Array, Array, Array]:
    """Return dX (T, a), dW (a, c), db (c,) from X (T, a), W (a, c), dY (T, c).

    Computes linear_backward.grad_weight, linear_backward.grad_bias and linear_backward.grad_input.
    """
    dW = X.T @ dY
    db = dY.sum(axis=0)
    dX = dY @ W.T
    return dX, dW, db


def relu_forward(Z: Array) -> Array:
    """Set negative entries of Z (...) to zero. Computes relu.relu."""
    return np.maximum(0.0, Z)


def relu_backward(Z: Array, dA: Array) -> Array:
    """Return dZ (...) from Z (...) and dA (...); it is zero where Z is exactly 0.

    Computes relu_backward.masked_gradient.
    """
    return dA * (Z > 0)


def softmax_forward(x: Array) -> Array:
    """Turn the last axis of x (..., n) into probabilities; entries of -inf get exactly zero.

    Computes softmax.shifted_exp and softmax.normalise.
    """
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    p: Array = e / e.sum(axis=-1, keepdims=True)
    return p


def softmax_backward(y: Array, dY: Array) -> Array:
    """Return dx (..., n) from the probabilities y (..., n) and dY (..., n).

    Computes softmax_backward.grad_input.
    """
    dx: Array = y * (dY - (y * dY).sum(axis=-1, keepdims=True))
    return dx


def cross_entropy_forward(logits: Array, targets: Ids) -> tuple[float, Array]:
    """Return the mean negative log-likelihood of targets (T,), and the probabilities (T, V), from logits (T, V).

    Computes cross_entropy.shifted_logits, cross_entropy.log_softmax, cross_entropy.mean_loss and
    cross_entropy.probabilities.
    """
    T = len(targets)
    z = logits - logits.max(axis=-1, keepdims=True)
    logp = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    loss = -logp[np.arange(T), targets].mean()
    probs = np.exp(logp)
    return loss, probs


def cross_entropy_backward(probs: Array, targets: Ids) -> Array:
    """Return the gradient of the mean loss by the logits (T, V), from probs (T, V) and targets (T,).

    Computes cross_entropy_backward.combined_gradient.
    """
    T = len(targets)
    one_hot = np.zeros_like(probs)
    one_hot[np.arange(T), targets] = 1.0
    return (probs - one_hot) / T


def layer_norm_forward(X: Array, gamma: Array, beta: Array, eps: float) -> tuple[Array, LayerNormCache]:
    """Normalise the last axis of X (..., d), scale by gamma (d,), shift by beta (d,) (Ba et al., 2016).

    The variance is the biased one. Computes layer_norm.row_mean, layer_norm.row_variance, layer_norm.inv_std,
    layer_norm.normalised and layer_norm.affine.
    """
    mu = X.mean(axis=-1, keepdims=True)
    var = ((X - mu) ** 2).mean(axis=-1, keepdims=True)
    s = 1.0 / np.sqrt(var + eps)
    Xhat = (X - mu) * s
    Y = gamma * Xhat + beta
    return Y, (Xhat, s, gamma)


def layer_norm_backward(cache: LayerNormCache, dY: Array) -> tuple[Array, Array, Array]:
    """Return dX (T, d), dgamma (d,), dbeta (d,) from the forward's cache and dY (T, d).

    Computes layer_norm_backward.grad_normalised, layer_norm_backward.grad_input, layer_norm_backward.grad_gamma and
    layer_norm_backward.grad_beta.
    """
    Xhat, s, gamma = cache
    dXhat = dY * gamma
    dX = s * (dXhat - dXhat.mean(axis=-1, keepdims=True) - Xhat * (dXhat * Xhat).mean(axis=-1, keepdims=True))
    dgamma = (dY * Xhat).sum(axis=0)
    dbeta = dY.sum(axis=0)
    return dX, dgamma, dbeta


def perplexity(loss: float) -> float:
    """Return e to the mean loss (in nats). Computes perplexity.perplexity."""
    value: float = np.exp(loss)
    return value
