// Numbers, times and files as people read them.

/** JSON has no infinity: the documents write "inf". */
export const real = (x) => (x === 'inf' ? Infinity : x === '-inf' ? -Infinity : x === 'nan' || x === null ? NaN : Number(x));

const plain = new Intl.NumberFormat('en-GB', {maximumSignificantDigits: 4});
const whole = new Intl.NumberFormat('en-GB', {maximumFractionDigits: 0});

/** Four digits, or all digits of a whole number. */
export function number(x) {
  const v = real(x);
  if (Number.isNaN(v)) return '–';
  if (!Number.isFinite(v)) return v > 0 ? '∞' : '−∞';
  if (v !== 0 && Math.abs(v) < 1e-3) return v.toExponential(2);
  return (Number.isInteger(v) ? whole : plain).format(v);
}

/** What is lost, at most: rounded up, with the digits that the command line and Python print (src/loss/loss_text.h). */
export const loss = (x, digits = 4) => rounded(real(x), true, digits);

/** What is left or allowed: the same, rounded down. */
export const left = (x, digits = 4) => rounded(real(x), false, digits);

/** A price that is left, as `kith budget` prints it. */
export const priceLeft = (x) => left(Math.floor(real(x) * 1e4) / 1e4);

/** What was spent, and the limit: with more digits where four would read as more than is allowed (app/cli/budget_output.cc). */
export function spentAndLimit(spent, limit) {
  const [s, l] = [real(spent), real(limit)];
  for (let digits = 4; s < l && digits <= 8; ++digits) {
    if (Number(loss(s, digits)) <= Number(left(l, digits))) return [loss(s, digits), left(l, digits)];
  }
  return [loss(s), s > l ? left(l) : loss(l)];
}

/** The nearest decimal, or the next one if that is on the wrong side. Requires: v > 0 and finite. */
function decimal(v, up, digits) {
  const nearest = v.toExponential(digits - 1);
  if (up ? Number(nearest) >= v : Number(nearest) <= v) return Number(nearest);
  const [mantissa, exponent] = nearest.split('e');
  let [whole, last] = [Number(mantissa.replace('.', '')), Number(exponent) - digits + 1];
  if (!up && whole === 10 ** (digits - 1)) [whole, last] = [whole * 10, last - 1];  // 0.9999 comes before 1
  return Number(`${up ? whole + 1 : whole - 1}e${last}`);
}

function rounded(v, up, digits) {
  if (!Number.isFinite(v) || v === 0) return number(v);
  const d = v > 0 ? decimal(v, up, digits) : -decimal(-v, !up, digits);
  if (Math.abs(d) >= 10 ** digits && Math.abs(d) < 1e9) return d.toFixed(0);
  const [mantissa, exponent] = d.toExponential().split('e');
  if (exponent >= -4 && exponent < digits) return String(d);
  return `${mantissa}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`;
}

export const time = (seconds) => new Date(seconds * 1000).toLocaleString('en-GB', {dateStyle: 'medium', timeStyle: 'short'});

export const cell = (value) => (value === null ? 'NULL' : typeof value === 'number' ? number(value) : String(value));

/** One field of a CSV file. A text that a spreadsheet would compute gets a quote in front. */
function field(value) {
  if (value === null || value === undefined) return '';
  let text = String(value);
  if (typeof value === 'string' && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The answer as CSV: the bar of every noisy column in a column beside it. */
export function csv(columns, rows, bars) {
  const noisy = columns.map((_, i) => rows.some((_row, r) => (bars?.[r]?.[i] ?? null) !== null));
  const head = columns.flatMap((name, i) => (noisy[i] ? [name, `${name}_error_95`] : [name]));
  const lines = rows.map((row, r) => row.flatMap((v, i) => (noisy[i] ? [v, bars[r][i]] : [v])));
  return [head, ...lines].map((line) => line.map(field).join(',')).join('\r\n') + '\r\n';
}

export function save(name, type, content) {
  const address = URL.createObjectURL(new Blob([content], {type}));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** A chart as PNG, twice its size, with the colours that it has on the page. */
export async function savePicture(name, svg) {
  const copy = svg.cloneNode(true);
  const from = [svg, ...svg.querySelectorAll('*')];
  const to = [copy, ...copy.querySelectorAll('*')];
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const name of ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'font-size', 'font-family', 'font-weight', 'opacity', 'text-anchor']) {
      to[i].setAttribute(name, style.getPropertyValue(name));
    }
  });
  const box = svg.getBoundingClientRect();
  copy.setAttribute('width', box.width);
  copy.setAttribute('height', box.height);
  const address = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(copy)], {type: 'image/svg+xml'}));
  try {
    const picture = new Image();
    picture.src = address;
    await picture.decode();
    const canvas = document.createElement('canvas');
    canvas.width = box.width * 2;
    canvas.height = box.height * 2;
    const pen = canvas.getContext('2d');
    pen.fillStyle = getComputedStyle(document.body).backgroundColor;
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((done) => canvas.toBlob(done, 'image/png'));
    save(name, 'image/png', blob);
  } finally {
    URL.revokeObjectURL(address);
  }
}
