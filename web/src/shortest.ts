// Numbers as the program writes them.

const infinite = (number: number) => (number > 0 ? 'inf' : '-inf');

/** A decimal with an exponent, such as `1.5e+21`, without it. */
function withoutExponent(text: string): string {
  const parts = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (!parts) return text;
  const [, sign, whole, fraction = '', exponent] = parts;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return sign + digits + '0'.repeat(point - digits.length);
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

function written(number: number): string {
  if (Number.isNaN(number)) return 'NaN';
  if (!Number.isFinite(number)) return infinite(number);
  if (Object.is(number, -0)) return '-0';
  return withoutExponent(String(number));
}

/** The next number away from zero with as many digits: `1.2e-7` of `1.1e-7`. */
function nextDecimal(number: number, digits: number): number {
  const [mantissa, exponent] = number.toExponential(digits - 1).split('e');
  const step = Number(`1e${Number(exponent) - digits + 1}`);
  return Number((Number(mantissa + 'e' + exponent) + step).toPrecision(digits));
}

/** The decimal of the fewest digits that is this `f32` and no other, as a number. Of an `f16` as an `f32`, too. */
function shortestDecimal(number: number): number {
  const size = Math.abs(number);
  for (let digits = 1; digits < 9; digits++) {
    const near = Number(size.toPrecision(digits));
    if (Math.fround(near) === size) return Math.sign(number) * near;
    // Numbers just above a power of two are twice as far apart as those below, so the nearest decimal may miss.
    const above = nextDecimal(size, digits);
    if (Number.isInteger(Math.log2(size)) && Math.fround(above) === size) return Math.sign(number) * above;
  }
  return Number(number.toPrecision(9));
}

/** An `f32` as Rust writes it: the shortest decimal, without an exponent. */
export function float32(number: number): string {
  if (!Number.isFinite(number) || number === 0) return written(number);
  return written(shortestDecimal(number));
}

/** An `f64`, with an exponent where JavaScript has one. */
export function float64(number: number): string {
  return Number.isFinite(number) && number !== 0 ? String(number) : written(number);
}

/** An `f32` for people, as in the program's facts: with an exponent if it would otherwise be mostly zeros. */
export function shortFloat32(number: number): string {
  const size = Math.abs(number);
  const needsExponent = Number.isFinite(number) && (size >= 1e16 || (size > 0 && size < 1e-5));
  if (!needsExponent) return float32(number);
  return shortestDecimal(number).toExponential().replace('e+', 'e');
}
