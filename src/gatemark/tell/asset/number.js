// Numbers by the rule of gatemark/number.py; tests/page/test_number.py compares the two.
(() => {
  "use strict";
  const MOST = 3; // decimals
  const FEW = 3; // an error that begins with less gets a second digit
  const SCALES = {
    "packets/s": [[1e6, "M packets/s"], [1e3, "k packets/s"], [1, "packets/s"]],
    "bit/s": [[1e9, "Gbit/s"], [1e6, "Mbit/s"], [1e3, "kbit/s"], [1, "bit/s"]],
    "connections/s": [[1e3, "k connections/s"], [1, "connections/s"]],
    "queries/s": [[1e3, "k queries/s"], [1, "queries/s"]],
    ns: [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]],
    Hz: [[1e9, "GHz"], [1e6, "MHz"], [1, "Hz"]],
    "bytes/s": [[1e9, "GB/s"], [1e6, "MB/s"], [1, "bytes/s"]],
    ratio: [[0.01, "%"]],
  };

  function decimals(value, error) {
    const power = value ? Math.floor(Math.log10(Math.abs(value))) : null;
    const finest = power === null ? MOST : 3 - power;
    if (!(error > 0)) return Math.max(0, Math.min(power === null ? 0 : 2 - power, finest, MOST));
    const exponent = Math.floor(Math.log10(error));
    return Math.min((error / 10 ** exponent < FEW ? 1 : 0) - exponent, finest, MOST);
  }

  // Fewer decimals than none round to tens, hundreds and so on.
  function plain(value, count) {
    if (!Number.isFinite(value)) return "–";
    const step = 10 ** Math.max(0, -count);
    const text = (Math.round(Math.abs(value) / step) * step).toFixed(0);
    const shown = count > 0 ? Math.abs(value).toFixed(count) : text;
    return value < 0 && /[1-9]/.test(shown) ? `−${shown}` : shown;
  }

  // A value or an end of its interval, with the digits that the interval's longer side lets it have.
  function digits(part, [value, lo, hi]) {
    const sides = [value - lo, hi - value].filter(Number.isFinite);
    return plain(part, decimals(value, Math.max(0, ...sides)));
  }

  // A number alone: three figures, with a prefix.
  function quantity(value, unit) {
    if (!Number.isFinite(value)) return "–";
    const steps = SCALES[unit] || [[1, unit]];
    const [factor, name] = steps.find(([least]) => Math.abs(value) >= least) || steps.at(-1);
    return `${plain(value / factor, decimals(value / factor, 0))} ${name}`.trim();
  }

  window.gatemark = { ...window.gatemark, number: { digits, plain, decimals, quantity } };
})();
