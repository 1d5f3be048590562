"use strict";
// The arithmetic of worked examples, as NumPy does it in float64 (eqtrace/run/example/evaluate.py, in JavaScript).
// A step is data: a number, true, a name, or [word, offset, length, ...parts], and only the words below mean anything.
// Arrays are {shape, data, truth}: entries row by row, truth values as 0 and 1.
const eqtraceEngine = (function () {
  const LARGEST = 10000;

  class StepError extends Error {}
  function fail(message) { throw new StepError(message); }

  const array = (shape, data, truth = false) => ({ shape, data, truth });
  const range = (n, f = (i) => i) => Array.from({ length: Math.max(n, 0) }, (_, i) => f(i));
  const size = (shape) => shape.reduce((product, n) => product * n, 1);
  const text = (shape) => shape.length === 1 ? "(" + shape[0] + ",)" : "(" + shape.join(", ") + ")";
  const bounded = (n) => n > LARGEST ? fail("an array of " + n + " entries; " + LARGEST + " are allowed") : n;
  const filled = (shape, x, truth) => array(shape, range(bounded(size(shape)), () => x), truth);
  const strides = (shape) => shape.map((_, axis) => size(shape.slice(axis + 1)));
  // Every sum of one number from each list, the last list varying fastest.
  const sums = (lists) => lists.reduce((found, list) => found.flatMap((base) => list.map((step) => base + step)), [0]);
  const offsets = (shape, steps) => sums(shape.map((n, axis) => range(n, (i) => i * steps[axis])));
  const pick = (a, shape, steps) => array(shape, offsets(shape, steps).map((i) => a.data[i]), a.truth);
  const choose = (list, places) => places.map((i) => list[i]);

  // Shapes and axes

  function together(shapes) {
    const rank = Math.max(0, ...shapes.map((shape) => shape.length));
    return range(rank, (axis) => shapes.reduce((length, shape) => {
      const own = shape[axis - rank + shape.length] ?? 1;
      if (own !== 1 && length !== 1 && own !== length) {
        const words = axis === rank - 1 ? "last axis" : "axis " + (rank - axis) + " from the end";
        fail("shapes " + shapes.map(text).join(" and ") + " do not fit: " + length + " and " + own + " on the " + words);
      }
      return own === 1 ? length : own;
    }, 1));
  }

  function stretch(a, shape) {
    const lead = shape.length - a.shape.length, steps = strides(a.shape);
    if (lead < 0 || a.shape.some((n, axis) => n !== 1 && n !== shape[axis + lead])) {
      fail("shape " + text(a.shape) + " cannot be stretched to " + text(shape));
    }
    return pick(a, shape, shape.map((_, axis) => axis < lead || a.shape[axis - lead] === 1 ? 0 : steps[axis - lead]));
  }

  function axisOf(axis, rank) {
    const found = axis < 0 ? axis + rank : axis;
    return found >= 0 && found < rank ? found : fail("there is no axis " + axis + " among " + rank);
  }

  const axesOf = (a, axis) => axis == null ? range(a.shape.length)
    : [].concat(axis).map((each) => axisOf(each, a.shape.length)).sort((i, j) => i - j);
  const others = (a, axes) => range(a.shape.length).filter((axis) => !axes.includes(axis));
  const places = (a, axes) => offsets(choose(a.shape, axes), choose(strides(a.shape), axes));

  function reduce(f, truth = false) {
    return (a, { axis, keepdims } = {}) => {
      const axes = axesOf(a, axis), inner = places(a, axes), whole = axes.includes(a.shape.length - 1);
      const data = places(a, others(a, axes)).map((base) => f(inner.map((i) => a.data[base + i]), whole));
      const kept = a.shape.map((n, each) => axes.includes(each) ? 1 : n);
      return array(keepdims ? kept : choose(a.shape, others(a, axes)), data, truth);
    };
  }

  function along(f, flat, truth = false) {
    return (a, { axis = flat ? null : -1 } = {}) => {
      const whole = axis === null ? array([a.data.length], a.data, a.truth) : a;
      const axes = axesOf(whole, axis === null ? 0 : axis), inner = places(whole, axes), data = [];
      places(whole, others(whole, axes)).forEach((base) => {
        f(inner.map((i) => whole.data[base + i])).forEach((x, i) => { data[base + inner[i]] = x; });
      });
      return array(whole.shape, data, truth && whole.truth);
    };
  }

  // Whole numbers

  function whole(a) {
    const wrong = a.data.find((x) => !Number.isSafeInteger(x));
    return wrong === undefined ? a.data : fail("a whole number is wanted here, not " + wrong);
  }
  const one = (a) => a.shape.length ? fail("a single whole number is wanted here") : whole(a)[0];
  const lengths = (a) => a.shape.length > 1 || a.data.length > 8 ? fail("a shape is a few whole numbers")
    : whole(a).some((n) => n < 0) ? fail("there is no negative size") : whole(a);

  // Numbers

  const each = (f, truth = false) => (...arrays) => {
    const shape = together(arrays.map((a) => a.shape));
    const n = bounded(size(shape)), lists = arrays.map((a) => stretch(a, shape).data);
    return array(shape, range(n, (i) => Number(f(...lists.map((list) => list[i])))), truth);
  };

  // As NumPy adds up: eight sums side by side, and long lists in halves.
  function sum(list, whole) {
    if (!whole || list.length < 8) return list.reduce((total, x) => total + x, 0);
    if (list.length > 128) {
      const half = (list.length >> 1) - (list.length >> 1) % 8;
      return sum(list.slice(0, half), true) + sum(list.slice(half), true);
    }
    const full = list.length - list.length % 8, r = list.slice(0, 8);
    for (let i = 8; i < full; i++) r[i % 8] += list[i];
    const total = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    return list.slice(full).reduce((so_far, x) => so_far + x, total);
  }

  const mean = (list, whole) => sum(list, whole) / list.length;
  function variance(list, whole, less) {
    const middle = mean(list, whole);
    return sum(list.map((x) => (x - middle) * (x - middle)), whole) / Math.max(list.length - less, 0);
  }
  const spread = (f) => (a, less, options) => reduce((list, all) => f(variance(list, all, less ? one(less) : 0)))(a, options);

  function power(x, y) {
    if (x === 1 || (x === -1 && Math.abs(y) === Infinity)) return 1;
    return y === 2 ? x * x : x ** y;
  }
  function mod(x, y) {
    const rest = x % y;
    return rest && rest < 0 !== y < 0 ? rest + y : rest;
  }
  function floorDivide(x, y) {
    if (!y) return x / y;
    const found = (x - mod(x, y)) / y, low = Math.floor(found);
    return found - low > 0.5 ? low + 1 : low;
  }
  function round(x) {
    const low = Math.floor(x);
    return Math.abs(x % 1) === 0.5 ? low + low % 2 * Math.sign(low) : x - low < 0.5 ? low : Math.ceil(x);
  }
  const running = (f) => (list) => list.map(((total) => (x, i) => { total = i ? f(total, x) : x; return total; })(0));
  const before = (x, y) => Number.isNaN(x) ? false : Number.isNaN(y) || x < y;
  const compare = (x, y) => before(x, y) ? -1 : before(y, x) ? 1 : 0;
  const order = (list) => range(list.length).sort((i, j) => compare(list[i], list[j]) || i - j);
  const first = (better) => reduce((list) => list.length ? list.reduce(
    (at, x, i) => !Number.isNaN(list[at]) && (Number.isNaN(x) || better(x, list[at])) ? i : at, 0) : fail("there is nothing to choose from"));
  const extreme = (f) => reduce((list) => list.length ? list.reduce((x, y) => f(x, y)) : fail("there is nothing to choose from"));

  function matmul(a, b) {
    if (!a.shape.length || !b.shape.length) fail("@ multiplies arrays; a single number is multiplied with *");
    const [left, right] = [a.shape.length > 1 ? a.shape : [1, ...a.shape], b.shape.length > 1 ? b.shape : [...b.shape, 1]];
    const [rows, inner] = left.slice(-2), [height, columns] = right.slice(-2);
    if (inner !== height) {
      fail(text(a.shape) + " @ " + text(b.shape) + " do not fit: " + inner + (a.shape.length > 1 ? " columns" : " entries")
        + " on the left, " + height + (b.shape.length > 1 ? " rows" : " entries") + " on the right");
    }
    const batch = together([left.slice(0, -2), right.slice(0, -2)]);
    bounded(size(batch) * rows * columns);
    const x = stretch(array(left, a.data), [...batch, rows, inner]).data;
    const y = stretch(array(right, b.data), [...batch, inner, columns]).data;
    const data = sums([range(size(batch), (block) => block * rows), range(rows)]).flatMap((row) => range(columns, (column) =>
      range(inner).reduce((total, k) =>
        total + x[row * inner + k] * y[(Math.floor(row / rows) * inner + k) * columns + column], 0)));
    const outer = [...(a.shape.length > 1 ? [rows] : []), ...(b.shape.length > 1 ? [columns] : [])];
    return array([...batch, ...outer], data);
  }

  // Indices

  function sliced([start, stop, step], n) {
    if (step === 0) fail("a slice has no step of 0");
    const by = step ?? 1, low = by < 0 ? -1 : 0, high = by < 0 ? n - 1 : n;
    const bound = (x, otherwise) => x == null ? otherwise : Math.min(Math.max(x < 0 ? x + n : x, low), high);
    const from = bound(start, by < 0 ? high : low), to = bound(stop, by < 0 ? low : high);
    return range(Math.ceil((to - from) / by), (i) => from + i * by);
  }

  function counted(x, n) {
    return x >= -n && x < n ? (x < 0 ? x + n : x) : fail("there is no index " + x + ": there " + (n === 1 ? "is 1" : "are " + n));
  }

  // A part is {slice}, {fresh: true} for a new axis, or {array} of whole numbers.
  function index(a, parts) {
    const steps = strides(a.shape), lists = [], shape = [], found = [];
    const many = parts.some((part) => part.array && part.array.shape.length);
    let axis = 0, at = -1, apart = false, last = -1;
    parts.forEach((part, number) => {
      if (part.fresh) { lists.push([0]); shape.push(1); return; }
      if (axis >= a.shape.length) fail("too many indices: the array has shape " + text(a.shape));
      const n = a.shape[axis], step = steps[axis++];
      if (part.slice) {
        const taken = sliced(part.slice, n);
        lists.push(taken.map((i) => i * step));
        shape.push(taken.length);
      } else {
        if (at < 0) at = lists.length;
        else if (many && number > last + 1) apart = true;
        last = number;
        found.push({ array: part.array, data: whole(part.array).map((i) => counted(i, n) * step) });
      }
    });
    if (found.length) {
      const joint = together(found.map((each) => each.array.shape));
      const spots = found.map((each) => stretch(array(each.array.shape, each.data), joint).data);
      lists.splice(apart ? 0 : at, 0, range(size(joint), (i) => spots.reduce((total, list) => total + list[i], 0)));
      shape.splice(apart ? 0 : at, 0, ...joint);
    }
    bounded(size(shape));
    return array(shape, choose(a.data, sums(lists)), a.truth);
  }

  function partsOf(a, nodes, values) {
    const given = nodes.map((node) => {
      const [word, , , ...rest] = Array.isArray(node) ? node : [""];
      if (word === "newaxis") return [{ fresh: true }];
      if (word === "rest") return null;
      if (word === "slice") return [{ slice: rest.map((each) => each === null ? null : one(run(each, values))) }];
      const found = run(node, values);
      return found.truth ? mask(found) : [{ array: found }];
    });
    const used = given.flat().filter((part) => part && !part.fresh).length;
    const open = range(Math.max(a.shape.length - used, 0), () => ({ slice: [null, null, null] }));
    return given.includes(null) ? given.flatMap((part) => part || open) : [...given.flat(), ...open];
  }

  function mask(a) {
    if (!a.shape.length) fail("a mask is an array");
    const hits = range(a.data.length).filter((i) => a.data[i]), steps = strides(a.shape);
    return a.shape.map((n, axis) => ({ array: array([hits.length], hits.map((i) => Math.floor(i / steps[axis]) % n)) }));
  }

  // Arrays made and rearranged

  function reshape(a, given) {
    const wanted = [...whole(given)], gap = wanted.indexOf(-1);
    if (gap >= 0) wanted[gap] = a.data.length / size(wanted.filter((_, i) => i !== gap));
    if (size(wanted) !== a.data.length || wanted.some((n) => !Number.isInteger(n) || n < 0)) {
      fail(a.data.length + " entries do not fill shape " + text(whole(given)));
    }
    return array(wanted, a.data, a.truth);
  }

  function transpose(a, given) {
    const axes = given ? whole(given).map((axis) => axisOf(axis, a.shape.length)) : range(a.shape.length).reverse();
    if (new Set(axes).size !== a.shape.length || axes.length !== a.shape.length) fail("each axis is named once");
    return pick(a, choose(a.shape, axes), choose(strides(a.shape), axes));
  }

  function swapaxes(a, i, j) {
    const axes = range(a.shape.length), [from, to] = [i, j].map((axis) => axisOf(one(axis), a.shape.length));
    [axes[from], axes[to]] = [axes[to], axes[from]];
    return transpose(a, array([axes.length], axes));
  }

  function concatenate(arrays, axis = 0) {
    if (axis === null) return concatenate(arrays.map((a) => array([a.data.length], a.data, a.truth)));
    const at = axisOf(axis, arrays[0].shape.length), rest = (a) => a.shape.filter((_, i) => i !== at).join();
    if (arrays.some((a) => a.shape.length !== arrays[0].shape.length || rest(a) !== rest(arrays[0]))) {
      fail("shapes " + arrays.map((a) => text(a.shape)).join(" and ") + " differ in more than the axis that is joined");
    }
    const shape = [...arrays[0].shape];
    shape[at] = arrays.reduce((total, a) => total + a.shape[at], 0);
    const data = range(size(shape.slice(0, at))).flatMap((block) => arrays.flatMap((a) => {
      const length = size(a.shape.slice(at));
      return a.data.slice(block * length, (block + 1) * length);
    }));
    return array(shape, data, arrays.every((a) => a.truth));
  }

  function stack(arrays, axis = 0) {
    if (arrays.some((a) => text(a.shape) !== text(arrays[0].shape))) fail("the rows differ in length");
    const at = axisOf(axis, arrays[0].shape.length + 1);
    return concatenate(arrays.map((a) => array([...a.shape.slice(0, at), 1, ...a.shape.slice(at)], a.data, a.truth)), at);
  }

  function triangle(keep) {
    return (m, k) => {
      const n = m.shape.length === 1 ? m.shape[0] : 0, a = n ? stretch(m, [bounded(n * n) / n, n]) : m;
      if (a.shape.length < 2) fail("a matrix is wanted here");
      const [rows, columns] = a.shape.slice(-2), shift = k ? one(k) : 0;
      const kept = (i) => keep(i % columns - Math.floor(i / columns) % rows, shift);
      return array(a.shape, a.data.map((x, i) => kept(i) ? x : 0), a.truth);
    };
  }

  const eye = (n, m, k) => array([one(n), m ? one(m) : one(n)],
    sums([range(one(n), (i) => i * 1e6), range(m ? one(m) : one(n))]).map(
      (at) => Number(at % 1e6 - Math.floor(at / 1e6) === (k ? one(k) : 0))));

  function diagonal(v, k) {
    const shift = k ? one(k) : 0;
    if (v.shape.length === 1) {
      const n = v.shape[0] + Math.abs(shift), found = filled([n, n], 0, v.truth);
      v.data.forEach((x, i) => { found.data[(i + Math.max(-shift, 0)) * n + i + Math.max(shift, 0)] = x; });
      return found;
    }
    if (v.shape.length !== 2) fail("a row or a matrix is wanted here");
    const [rows, columns] = v.shape, from = Math.max(-shift, 0), to = Math.max(shift, 0);
    const data = range(Math.min(rows - from, columns - to), (i) => v.data[(i + from) * columns + i + to]);
    return array([data.length], data, v.truth);
  }

  function arange(start, stop, step) {
    const [from, to] = stop ? [start.data[0], stop.data[0]] : [0, start.data[0]], by = step ? step.data[0] : 1;
    const n = Math.ceil((to - from) / by);
    if (!Number.isFinite(n)) fail("this range has no end");
    return array([Math.max(n, 0)], range(bounded(n), (i) => from + i * by));
  }

  function linspace(start, stop, num) {
    const n = bounded(one(num)), from = start.data[0], by = (stop.data[0] - from) / (n - 1);
    return array([n], range(n, (i) => i && i === n - 1 ? stop.data[0] : i ? from + i * by : from));
  }

  function expand(a, { axis }) {
    const rank = a.shape.length + [].concat(axis).length, shape = [...a.shape];
    [].concat(axis).map((each) => axisOf(each, rank)).sort((i, j) => i - j).forEach((each) => shape.splice(each, 0, 1));
    return array(shape, a.data, a.truth);
  }

  function squeeze(a, { axis } = {}) {
    const axes = axis == null ? range(a.shape.length).filter((each) => a.shape[each] === 1) : axesOf(a, axis);
    if (axes.some((each) => a.shape[each] !== 1)) fail("only an axis of size 1 can be left out");
    return array(choose(a.shape, others(a, axes)), a.data, a.truth);
  }

  function take(a, indices, { axis = null } = {}) {
    const from = axis === null ? array([a.data.length], a.data, a.truth) : a;
    const at = axis === null ? 0 : axisOf(axis, a.shape.length);
    return index(from, [...range(at, () => ({ slice: [null, null, null] })), { array: indices },
      ...range(from.shape.length - at - 1, () => ({ slice: [null, null, null] }))]);
  }

  function takeAlong(a, indices, { axis = -1 } = {}) {
    const at = axisOf(axis, a.shape.length);
    const grid = (each) => array(range(a.shape.length, (i) => i === each ? a.shape[each] : 1), range(a.shape[each]));
    return index(a, range(a.shape.length, (each) => ({ array: each === at ? indices : grid(each) })));
  }

  function repeat(a, repeats, { axis = null } = {}) {
    const from = axis === null ? a.data.length : a.shape[axisOf(axis, a.shape.length)];
    const counts = stretch(array(repeats.shape, lengths(repeats)), [from]).data;
    const chosen = range(from).flatMap((i) => range(bounded(counts[i]), () => i));
    return take(a, array([chosen.length], chosen), { axis });
  }

  function tile(a, reps) {
    const counts = lengths(reps), rank = Math.max(counts.length, a.shape.length);
    const pad = (list) => [...range(rank - list.length, () => 1), ...list];
    bounded(size(counts) * a.data.length);
    return pad(counts).reduce((found, n, axis) => take(found, array([n * found.shape[axis]],
      range(n * found.shape[axis], (i) => i % found.shape[axis])), { axis }), array(pad(a.shape), a.data, a.truth));
  }

  function flip(a, { axis } = {}) {
    return axesOf(a, axis).reduce((found, at) => along((list) => list.reverse(), false, true)(found, { axis: at }), a);
  }

  const where = (c, x, y) => ({ ...each((condition, one, other) => condition ? one : other)(
    array(c.shape, c.data.map((entry) => Number(entry !== 0))), x, y), truth: x.truth && y.truth });
  const is = (f) => each(f, true);
  const count = (n) => array([], [n]);
  const asLong = (a, b) => a.shape.length && b.shape.length ? matmul(a, b) : each((x, y) => x * y)(a, b);

  const words = Object.assign(Object.create(null), {
    "+": each((x, y) => x + y), "-": each((x, y) => x - y), "*": each((x, y) => x * y), "/": each((x, y) => x / y),
    "//": each(floorDivide), "%": each(mod), "**": each(power), "@": matmul,
    "<": is((x, y) => x < y), "<=": is((x, y) => x <= y), ">": is((x, y) => x > y), ">=": is((x, y) => x >= y),
    "==": is((x, y) => x === y), "!=": is((x, y) => x !== y),
    "&": is((x, y) => x !== 0 && y !== 0), "|": is((x, y) => x !== 0 || y !== 0), "^": is((x, y) => (x !== 0) !== (y !== 0)),
    negative: each((x) => -x), positive: each((x) => x), invert: is((x) => x === 0),
    T: (a) => transpose(a), shape: (a) => array([a.shape.length], a.shape), size: (a) => count(a.data.length),
    ndim: (a) => count(a.shape.length), list: (...arrays) => arrays.length ? stack(arrays) : array([0], []),
    constant: (name) => count({ inf: Infinity, nan: NaN }[name]),
    square: each((x) => x * x), round: each(round),
    isfinite: is(Number.isFinite), isnan: is(Number.isNaN), isinf: is((x) => Math.abs(x) === Infinity),
    maximum: each(Math.max), minimum: each(Math.min), mod: each(mod),
    sum: reduce(sum), mean: reduce(mean), prod: reduce((list) => list.reduce((x, y) => x * y, 1)),
    max: extreme(Math.max), min: extreme(Math.min), var: spread((x) => x), std: spread(Math.sqrt),
    any: reduce((list) => Number(list.some((x) => x !== 0)), true), all: reduce((list) => Number(list.every((x) => x !== 0)), true),
    count_nonzero: reduce((list) => list.filter((x) => x !== 0).length),
    argmax: first((x, y) => x > y), argmin: first((x, y) => x < y),
    cumsum: along(running((x, y) => x + y), true), cumprod: along(running((x, y) => x * y), true),
    argsort: along(order), sort: along((list) => choose(list, order(list)), false, true), flip, where,
    clip: (a, low, high) => [[low, Math.max], [high, Math.min]].reduce((found, [x, f]) => x ? each(f)(found, x) : found, a),
    outer: (a, b) => each((x, y) => x * y)(array([a.data.length, 1], a.data), array([b.data.length], b.data)),
    dot: asLong, matmul, reshape, transpose, swapaxes, squeeze, expand_dims: expand, take, take_along_axis: takeAlong,
    ravel: (a) => array([a.data.length], a.data, a.truth), broadcast_to: (a, shape) => stretch(a, lengths(shape)),
    concatenate: (...given) => concatenate(given.slice(0, -1), given[given.length - 1].axis),
    stack: (...given) => stack(given.slice(0, -1), given[given.length - 1].axis), repeat, tile,
    triu: triangle((away, k) => away >= k), tril: triangle((away, k) => away <= k), diag: diagonal,
    trace: (a) => reduce(sum)(diagonal(a)), array: (a) => a,
    zeros: (shape) => filled(lengths(shape), 0), ones: (shape) => filled(lengths(shape), 1),
    full: (shape, x) => stretch(x, lengths(shape)), zeros_like: (a) => filled(a.shape, 0, a.truth),
    ones_like: (a) => filled(a.shape, 1, a.truth), full_like: (a, x) => stretch(array(x.shape, x.data, a.truth), a.shape),
    eye, arange, linspace, length: (a) => a.shape.length ? count(a.shape[0]) : fail("a single number has no length"),
    number: each((x) => x), truth: is((x) => x !== 0),
  });
  "exp expm1 log log1p log2 log10 sqrt abs sign floor ceil trunc sin cos tan tanh".split(" ").forEach(
    (name) => { words[name] = each(Math[name]); });
  Object.assign(words, { add: words["+"], subtract: words["-"], multiply: words["*"], divide: words["/"], power: words["**"],
    equal: words["=="], logical_and: words["&"], logical_or: words["|"], logical_xor: words["^"], logical_not: words.invert });

  // The value of a step; an error knows at which characters of the step it is.
  function run(node, values) {
    if (typeof node === "number") return count(node);
    if (typeof node === "boolean") return array([], [Number(node)], true);
    if (typeof node === "string") return values.get(node) || fail(node + " has no value");
    const [word, offset, length, ...parts] = node;
    try {
      if (word === "constant") return words.constant(parts[0]);
      const given = (word === "index" ? parts.slice(0, 1) : parts).map((part) =>
        part === null ? undefined : part.constructor === Object ? part : run(part, values));
      if (word === "index") return index(given[0], partsOf(given[0], parts.slice(1), values));
      return (words[word] || fail("this is not known: " + word))(...given);
    } catch (error) {
      if (error instanceof StepError && error.offset === undefined) Object.assign(error, { offset, length });
      throw error;
    }
  }

  return { run, array, StepError, text, words };
})();
