// Debian's Chromium, and what every test of the page looks at: console, requests, accessibility, width.
import assert from 'node:assert/strict';
import {existsSync, readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {chromium} from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const program = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path));

export async function openBrowser() {
  if (!program) throw new Error('no Chromium here; run: ./setup browser');
  return chromium.launch({executablePath: program, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage']});
}

/** A page that remembers whatever should not have happened in it. `expected`: statuses that the test provokes. */
export async function openPage(browser, address, {theme = 'light', width = 1280, height = 900} = {}) {
  const context = await browser.newContext({colorScheme: theme, viewport: {width, height}, acceptDownloads: true});
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  page.complaints = [];
  page.provoked = 0;  // refusals that the test asks for: the browser itself writes a line about each
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return;
    if (/Failed to load resource: the server responded with a status of 4\d\d/.test(message.text()) && page.provoked-- > 0) return;
    page.complaints.push(message.text());
  });
  page.on('pageerror', (error) => page.complaints.push(error.stack));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(address) && !url.startsWith('blob:')) page.complaints.push(`asked somebody else: ${url}`);
  });
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
  });
  await page.goto(address);
  return page;
}

/** Nothing that axe-core calls serious or critical. */
export async function accessible(page, where) {
  const found = await page.evaluate(`${axe}; axe.run(document, {resultTypes: ['violations']})`);
  const grave = found.violations.filter((v) => v.impact === 'serious' || v.impact === 'critical');
  assert.deepEqual(grave.map((v) => `${v.id}: ${v.nodes[0].html}`), [], where);
}

/** Nothing sticks out of the window. */
export async function fits(page, where) {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(over <= 0, `${where} is ${over} pixels wider than the window`);
}
