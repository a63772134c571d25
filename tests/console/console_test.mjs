// Drives the console in a real browser against a real server, DuckDB and ledger, as an analyst and a curator would.
// Usage: KITH=build/kith node tests/console/console_test.mjs [FOLDER-FOR-PICTURES]
import assert from 'node:assert/strict';
import {mkdirSync, readFileSync} from 'node:fs';
import {accessible, fits, openBrowser, openPage} from './browser.mjs';
import {startServer} from './server.mjs';

const pictures = process.argv[2];
if (pictures) mkdirSync(pictures, {recursive: true});
const server = await startServer();
const browser = await openBrowser();
const began = process.hrtime.bigint();
const steps = [];
const step = async (name, does) => {
  await does();
  steps.push(name);
  console.log(`${String((process.hrtime.bigint() - began) / 1_000_000n).padStart(6)} ms  ${name}`);
};
const picture = async (page, name, fullPage = true) => pictures && page.screenshot({path: `${pictures}/${name}.png`, fullPage, animations: 'disabled'});

const views = ['ask', 'data', 'plan', 'analyse', 'budget', 'dependence', 'audit', 'curator'];
const go = async (page, view) => {
  await page.click(`nav.views a[href="#/people/${view}"]`);
  await page.waitForSelector(`nav.views a[href="#/people/${view}"][aria-current=page]`);
};
const ready = async (page, view) => {
  const signs = {ask: '.before .bars', data: 'main table', plan: '.before table', analyse: 'main form select', budget: '.meters', dependence: '#effect', audit: '.verdict', curator: 'textarea.policy'};
  await page.waitForSelector(signs[view]);
};
const text = (page, selector) => page.locator(selector).innerText();
const until = async (what, holds) => {
  for (let i = 0; i < 200; ++i) {
    if (await holds()) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  assert.fail(`never: ${what}`);
};
const download = async (page, button) => {
  const [file] = await Promise.all([page.waitForEvent('download'), page.click(button)]);
  return readFileSync(await file.path());
};
const ask = async (page) => {
  await page.click('button.main');
  await page.waitForSelector('button.main:not(:disabled)');
};
const logIn = async (page, token) => {
  await page.fill('input[name=token]', token);
  await page.click('button[type=submit]');
  await page.waitForSelector('nav.views');
};
const loss = async (page) => {
  await page.waitForSelector('nav .meter-words >> text=/[\\d.]+ of 1/');
  return Number((await text(page, 'nav .meter-words')).match(/([\d.]+) of 1/)[1]);
};

/** The lines of a chart, each as its points. */
const linesOf = (page) => page.locator('.answer .chart svg .chart-line path').evaluateAll((paths) => paths.map((path) => {
  let [x, y] = [0, 0];
  return [...path.getAttribute('d').matchAll(/([MLHV])([-\d.]+)(?:,([-\d.]+))?/g)].map(([, kind, a, b]) => {
    if (kind === 'V') y = Number(a);
    else [x, y] = [Number(a), kind === 'H' ? y : Number(b)];
    return [x, y];
  });
}));
const isStairs = (points) => points.length > 4 && points.slice(1).every(([x, y], i) => x === points[i][0] || y === points[i][1]);
const labelsOf = (page) => page.locator('.answer .chart svg text').allTextContents();

try {
  const page = await openPage(browser, server.address);

  await step('a wrong token is refused, the right one opens the views of its role', async () => {
    await page.fill('input[name=token]', server.tokens.analyst.replace(/.$/, (last) => (last === '0' ? '1' : '0')));
    page.provoked = 1;
    await page.click('button[type=submit]');
    await until('the refusal', async () => /not accepted/.test(await text(page, '[role=alert]')));
    await accessible(page, 'log in');
    await logIn(page, server.tokens.analyst);
    assert.deepEqual(await page.locator('nav.views a').allInnerTexts(), ['Data', 'Ask', 'Plan', 'Analyse', 'Budget', 'Dependence']);
  });

  await step('columns, declared values and bounds are shown', async () => {
    await go(page, 'data');
    await ready(page, 'data');
    const shown = await text(page, 'main');
    for (const part of ['North, East, South, West', '0 to 100', 'never NULL', 'group in ranges']) assert.ok(shown.includes(part), part);
  });

  await step('a question is completed with the keyboard', async () => {
    await go(page, 'ask');
    await page.fill('textarea', '');
    await page.locator('textarea').pressSequentially('SELECT wa');
    await page.waitForSelector('[role=option] >> text=ward');  // the list is that of all letters
    await page.keyboard.press('ArrowDown');
    await page.waitForSelector('[role=option][aria-selected=true] >> text=ward');
    await page.keyboard.press('Enter');
    assert.equal(await page.inputValue('textarea'), 'SELECT ward');
    await page.locator('textarea').pressSequentially(", count(*) AS n FROM people WHERE ill = 'y");
    await page.waitForSelector('[role=option] >> text=yes');
    await page.keyboard.press('ArrowDown');
    await page.waitForSelector('[role=option][aria-selected=true] >> text=yes');
    await page.keyboard.press('Tab');
    await page.locator('textarea').pressSequentially("' GROUP BY ward");
    assert.equal(await page.inputValue('textarea'), "SELECT ward, count(*) AS n FROM people WHERE ill = 'yes' GROUP BY ward");
  });

  await step('cost and bar are shown before anything is spent', async () => {
    await page.fill('input[type=number]', '0.1');
    await until('the bar', async () => (await page.locator('.before .bars').count()) && (await text(page, '.before .bars')).includes('± 57'));
    assert.match(await text(page, '.before .meters'), /0 → 0\.1004 of 1/);
    assert.equal(await loss(page), 0);
    await accessible(page, 'before asking');
    await picture(page, 'ask');
  });

  await step('the answer comes as table and chart, and the budget falls', async () => {
    await page.locator('textarea').press('Control+Enter');
    await page.waitForSelector('.answer table');
    assert.equal(await page.locator('.answer tbody tr').count(), 4);
    assert.match(await text(page, '.answer table'), /North\s+[\d,]+ ± 57/);
    assert.equal(await page.locator('.answer .chart svg circle').count(), 4);
    assert.match(await text(page, '#charged'), /plain loss 0\.0527/);
    await picture(page, 'answer');
    await until('the loss', async () => (await loss(page)) === 0.1004);
  });

  await step('it can be taken along as CSV, JSON and PNG', async () => {
    const lines = (await download(page, '.answer button >> text=CSV')).toString().trim().split('\r\n');
    assert.equal(lines[0], 'ward,n,n_error_95');
    assert.equal(lines.length, 5);
    const json = JSON.parse(await download(page, '.answer button >> text=JSON'));
    assert.equal(json.answer.rows.length, 4);
    assert.equal(json.ledger_entry, 1);
    const png = await download(page, '.answer button >> text=PNG');
    assert.equal(png.subarray(1, 4).toString(), 'PNG');
    assert.ok(png.length > 4000 && png.readUInt32BE(16) > 600, 'a picture of some size');
  });

  await step('the same question again is free', async () => {
    await page.waitForSelector('button >> text=Ask: free');
    assert.match(await text(page, '.before'), /0\.1004 → 0\.1004 of 1/);
    await ask(page);
    await until('free', async () => (await text(page, '#charged')).includes('free'));
    assert.equal(await loss(page), 0.1004);
  });

  await step('markup in a name is text', async () => {
    await page.fill('textarea', 'SELECT count(*) AS "<img src=x onerror=alert(1)>" FROM people WHERE ill = \'no\'');
    await page.fill('input[type=number]', '0.01');
    await ask(page);
    await until('shown', async () => (await text(page, '.answer th')) === '<img src=x onerror=alert(1)>');
    assert.equal(await page.locator('main img').count(), 0);
  });

  await step('a bar can be bought, and a slip is explained', async () => {
    await page.click('text=buy an error bar');
    await page.fill('input[type=number]', '50');
    await until('the bar', async () => (await page.locator('.before .bars').count()) && (await text(page, '.before .bars')).includes('± 50'));
    page.provoked = 1;
    await page.fill('textarea', 'SELECT wage FROM people');
    await page.waitForSelector('.before .refusal >> text=wage');
    assert.match(await text(page, '.before .refusal'), /use one of: house, ward, age, ill, job/);
    await page.click('text=spend epsilon');
    await page.fill('textarea', "SELECT count(*) AS n FROM people WHERE ill = 'no'");
    await page.waitForSelector('.before .bars');
  });

  await step('ten questions are planned, and the bars move with the budget', async () => {
    await go(page, 'plan');
    await ready(page, 'plan');
    const ten = Array.from({length: 10}, (_, i) => `SELECT count(*) AS n FROM people WHERE job = 'care' AND age >= ${i * 10};`).join('\n');
    await page.fill('textarea', ten);
    const first = () => text(page, '.before tbody tr:first-child td:nth-child(5)');
    await page.fill('input[type=number]', '0.1');
    await until('ten', async () => (await page.locator('.before tbody tr').count()) === 10);
    await until('settled', async () => (await page.locator('.before[aria-busy=true]').count()) === 0);
    const wide = Number((await first()).replace(/[^\d.]/g, ''));
    await page.locator('input[type=range]').fill('0.5');
    await until('a narrower bar', async () => Number((await first()).replace(/[^\d.]/g, '')) < wide / 3);
    assert.ok((await page.locator('.before .chart svg rect').count()) >= 10);
    await picture(page, 'plan');
  });

  await step('the shares of a plan add up to its price; what is public is free', async () => {
    const before = await page.inputValue('textarea');
    await page.fill('textarea', "SELECT count(*) AS n FROM people;\nSELECT sum(age) AS s FROM people;\nSELECT sum(months) AS s FROM people;\nSELECT count(*) AS n FROM people;");
    await until('four', async () => (await page.locator('.before tbody tr').count()) === 4);
    await until('settled', async () => (await page.locator('.before[aria-busy=true]').count()) === 0);
    assert.deepEqual(await page.locator('.before tbody tr td:nth-child(4)').allInnerTexts(), ['free', '0.25', '0.25', 'free']);
    await page.fill('textarea', before);
    await until('ten again', async () => (await page.locator('.before tbody tr').count()) === 10);
    await until('settled', async () => (await page.locator('.before[aria-busy=true]').count()) === 0);
  });

  const curator = await openPage(browser, server.address);
  await step('a dear plan waits until a curator grants it', async () => {
    page.provoked = 1;
    await ask(page);
    assert.match(await text(page, 'div[aria-live] .refusal'), /A curator has to approve this/);
    await page.waitForSelector('article.waiting >> text=waits for a curator');
    assert.ok((await loss(page)) < 0.12);
    await logIn(curator, server.tokens.curator);
    await go(curator, 'curator');
    await curator.fill('article.waiting input', 'fine, once');
    await picture(curator, 'approval');
    await curator.click('button:has-text("Grant")');
    await curator.waitForSelector('text=/^None\\. Questions wait/');
    await go(page, 'ask');
    await page.waitForSelector('article.waiting >> text=fine, once');
    await page.click('text=Ask it now');
    await until('ten answers', async () => (await page.locator('.answer').count()) === 10);
    await until('the loss', async () => (await loss(page)) > 0.5);
  });

  await step('the history has every answer with its certificate', async () => {
    await go(page, 'budget');
    await ready(page, 'budget');
    assert.equal(await page.locator('table:has(caption:text("Answers so far")) tbody tr').count(), 3);
    assert.match(await text(page, '.meters'), /Your allowance \(plain loss\)\s+0\.3215 of 0\.6/);
    await page.waitForSelector('.chart svg');
    await picture(page, 'budget');
    await page.click('tr:last-child >> text=Read');
    await page.waitForSelector('dialog[open]');
    assert.match(await text(page, 'dialog'), /discrete laplace/);
    assert.match(await text(page, 'dialog .head'), /^[0-9a-f]{64}$/);
    const certificate = JSON.parse(await download(page, 'dialog >> text=Download the certificate'));
    assert.equal(certificate.ledger_entry, 1);
    assert.equal(certificate.answer, undefined);
    await accessible(page, 'certificate');
    await page.keyboard.press('Escape');
    const whole = JSON.parse(await download(page, 'text=Download budget and history'));
    assert.deepEqual(whole.history.map((line) => line.number), [1, 2, 3]);
    assert.ok(whole.cells.length > 0);
    await page.waitForSelector('dialog', {state: 'detached'});
  });

  await step('a password opens a session, which a reload keeps and logging out ends', async () => {
    const other = await openPage(browser, server.address);
    await other.click('text=Use a password');
    await other.fill('input[name=name]', 'ada');
    await other.fill('input[name=password]', 'wrong');
    other.provoked = 1;
    await other.click('button[type=submit]');
    await until('the refusal', async () => /Name or password is not accepted/.test(await text(other, '[role=alert]')));
    await accessible(other, 'log in with a password');
    await picture(other, 'password');
    await other.fill('input[name=password]', server.password);
    await other.click('button[type=submit]');
    await other.waitForSelector('nav.views');
    assert.equal(await other.evaluate(() => document.cookie), '', 'no script reads the cookie');
    const [cookie] = await other.context().cookies();
    assert.deepEqual([cookie.httpOnly, cookie.sameSite, cookie.path], [true, 'Strict', '/']);
    await other.reload();
    await other.waitForSelector('nav.views');
    await go(other, 'ask');
    await ready(other, 'ask');  // explained by POST: the page has its key again
    // The cookie alone changes nothing.
    const forged = await other.evaluate(() => fetch('/v1/datasets/people/explain', {method: 'POST', headers: {'Content-Type': 'application/json'},
      body: JSON.stringify({question: 'SELECT count(*) FROM people', epsilon: 0.01})}).then((answer) => answer.status));
    other.provoked = (other.provoked ?? 0) + 1;
    assert.equal(forged, 403);
    await other.click('text=Log out');
    await other.waitForSelector('text=Use a password');
    assert.deepEqual(await other.context().cookies(), []);
    await other.context().close();
  });

  await step('a stronger dependence takes more noise', async () => {
    await go(page, 'dependence');
    await ready(page, 'dependence');
    const times = async () => Number((await text(page, '#effect')).match(/([\d.]+) times/)[1]);
    const before = await times();
    await page.locator('#strength').fill('0.9');
    await until('more noise', async () => (await times()) > before);
    await page.locator('.controls select').selectOption('chain');
    await until('a chain', async () => /chain/.test(await text(page, 'figcaption')));
  });

  await step('a price beyond the budget is refused, readably, before and after', async () => {
    await go(curator, 'ask');
    await curator.fill('textarea', "SELECT count(*) AS n FROM people WHERE ill = 'yes' AND age > 30");
    await curator.fill('input[type=number]', '0.5');
    await curator.waitForSelector('.before .refusal');
    assert.match(await text(curator, '.before .refusal'), /budget/i);
    curator.provoked = 1;
    await ask(curator);
    const said = await text(curator, 'div[aria-live] .refusal');
    assert.match(said, /The budget does not allow this/);
    assert.match(said, /What to do: .*at most 0\.39/);
    await until('the loss as before', async () => (await loss(curator)) === 0.6115);
    await picture(curator, 'refusal');
  });

  await step('the audit says who learns what', async () => {
    await go(curator, 'audit');
    await ready(curator, 'audit');
    assert.match(await text(curator, '.verdict'), /^3 answers so far/);
    await curator.waitForSelector('main .chart svg text');
    const drawn = (await curator.locator('main .chart svg text').allTextContents()).join(' | ');
    for (const after of await curator.locator('table:has(caption:text("Who learns what")) tbody tr td:nth-child(4)').allInnerTexts()) assert.ok(after === '∞' || drawn.includes(` ${after} `) || drawn.endsWith(` ${after}`), `${after} is in the table, the chart has ${drawn}`);
    assert.ok((await curator.locator('table:has(caption:text("Who learns what")) tbody tr').count()) >= 3);
  });

  await step('an analysis runs as a job, and a reload finds it again', async () => {
    await go(curator, 'analyse');
    await curator.waitForSelector('main form select');
    const described = await curator.evaluate(() => fetch('/v1/openapi.json').then((answer) => answer.json()));
    const known = described.components.schemas.Analysis.oneOf;
    assert.equal(await curator.locator('main form select').first().locator('option').count(), known.length);
    for (const {title, properties: {analysis, options}} of known) {
      await curator.selectOption('main form select', {label: title});
      const names = await curator.locator('main form [name]').evaluateAll((all) => all.map((each) => each.name));
      assert.deepEqual(names, options['x-order'], analysis.const);
    }
    await curator.selectOption('main form select', 'percentiles');
    await curator.fill('input[name=column]', 'age');
    await curator.fill('main form input[type=number]:not([name])', '0.01');
    await curator.waitForSelector('.before .bars');
    await curator.click('button.main');
    await curator.waitForSelector('.answer');
    await picture(curator, 'analyse');
    await accessible(curator, 'analyse');
    await curator.reload();
    await curator.click('table:has(th:text("Percentiles of a number")) >> text=Show');
    await curator.waitForSelector('.answer');
  });

  await step('a curator imports, and checks a changed policy', async () => {
    await go(curator, 'curator');
    await ready(curator, 'curator');
    await curator.click('text=Import now');
    await curator.waitForSelector('text=6,000 units');
    assert.equal(JSON.parse(await download(curator, 'text=Download the report')).audience, 'curator');
    const policy = await curator.inputValue('textarea.policy');
    const taken = 'button:has-text("Download what was checked")';
    assert.ok(await curator.locator(taken).isDisabled(), 'nothing was checked yet');
    await curator.fill('textarea.policy', policy.replace('odds_ratio = 4', 'odds_ratio = 2'));
    await curator.click('button >> text=Check');
    await curator.waitForSelector('text=This would be accepted');
    assert.match(await text(curator, 'main'), /\[dependence\] changed/);
    assert.equal((await download(curator, taken)).toString(), policy.replace('odds_ratio = 4', 'odds_ratio = 2'));
    await picture(curator, 'policy');
    await accessible(curator, 'policy');
    curator.provoked = 1;
    await curator.fill('textarea.policy', policy.replace('[unit]', '[unit'));
    await curator.waitForSelector('text=about the text before the last change');
    assert.ok(await curator.locator(taken).isDisabled(), 'what was changed since is not what was checked');
    await curator.click('button >> text=Check');
    await curator.waitForSelector('main .refusal');
    assert.match(await text(curator, 'main .refusal'), /policy:4/);
    await curator.click('text=Go to line 4');
    assert.equal(await curator.evaluate(() => document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)), '[unit');
    await curator.click('text=Back to the file');
    assert.equal(await curator.inputValue('textarea.policy'), policy);
    assert.deepEqual(curator.complaints, []);
  });

  await step('a curator adds somebody, sets an allowance and takes everything back', async () => {
    const row = (name) => text(curator, `table.people tr:has(th:text-is("${name}"))`);
    assert.match(await row('ada'), /analyst\s+Plain loss\s+0\.3215 of 0\.6/);
    assert.equal(await curator.locator('table.people tr:has(th:text-is("cleo")) button').count(), 0, 'curators are not changed from here');
    await curator.click('text=Add somebody');
    await curator.fill('input[name=user]', 'ada');
    await curator.fill('input[name=allowance]', '0.05');
    curator.provoked = 1;
    await curator.click('dialog button[type=submit]');
    await curator.waitForSelector('dialog .refusal >> text=already');
    await curator.fill('input[name=user]', 'grace');
    await curator.click('dialog button[type=submit]');
    const token = await curator.inputValue('input.secret');
    assert.match(token, /^kith_[0-9a-f]{16}_[0-9a-f]{64}$/);
    await curator.waitForSelector('dialog h2:text-is("grace")');
    await accessible(curator, 'a new user');
    await picture(curator, 'people', false);
    const other = await openPage(browser, server.address);
    await logIn(other, token);
    assert.match(await text(other, '.who'), /grace/);
    await curator.fill('dialog input[name=allowance]', '0.08');
    await curator.click('text=Set the allowance');
    await until('the allowance', async () => /0 of 0\.08/.test(await row('grace')));
    assert.equal(await curator.locator('input.secret').count(), 0, 'a token is shown once');
    await curator.fill('input[name=token-name]', 'desk');
    await curator.click('text=Make it');
    await curator.waitForSelector('text=The token “desk” of grace');
    await curator.click('[aria-label="Revoke first"]');
    await curator.waitForSelector('dialog tr:has(th:text-is("first")) >> text=revoked');
    await other.reload();
    await other.waitForSelector('input[name=token]');
    await other.context().close();
    await curator.click('text=Remove grace');
    await curator.click('text=Yes, remove grace');
    await curator.waitForSelector('text=grace was removed');
    await curator.keyboard.press('Escape');
    await curator.waitForSelector('dialog', {state: 'detached'});
    assert.equal(await curator.locator('table.people th:text-is("grace")').count(), 0);
    assert.ok(!(await curator.content()).includes('kith_'), 'no token is left on the page');
    assert.deepEqual(curator.complaints, []);
  });

  await step('both themes and a narrow screen are accessible and fit', async () => {
    for (const [theme, width] of [['dark', 1280], ['light', 360]]) {
      const other = await openPage(browser, server.address, {theme, width, height: 800});
      await logIn(other, server.tokens.curator);
      for (const view of views) {
        await go(other, view);
        await ready(other, view);
        if (theme === 'dark' || view === 'ask') await accessible(other, `${view}, ${theme}, ${width}`);
        await fits(other, `${view}, ${theme}, ${width}`);
        await picture(other, `${view}-${theme}-${width}`);
      }
      assert.deepEqual(other.complaints, []);
      await other.context().close();
    }
    await page.selectOption('.who select', 'dark');
    await until('the dark page', async () => (await page.evaluate(() => getComputedStyle(document.body).backgroundColor)) === 'rgb(18, 24, 31)');
  });

  await step('a guarantee with a delta is never shown without it', async () => {
    const capped = await startServer({budget: 'delta = 1e-6\n'});
    try {
      const other = await openPage(browser, capped.address);
      await logIn(other, capped.tokens.curator);
      await go(other, 'ask');
      await other.fill('textarea', "SELECT count(*) AS n FROM people WHERE ill = 'yes'");
      await other.fill('input[type=number]', '0.001');
      const pair = /\(1, (1e-06|9\.\d+e-07)\)/;
      await until('the price', async () => pair.test(await text(other, '.before')));
      assert.match(await text(other, '.before .meter-words'), /Budget used\s*0 → 0\.1\d* of 100 %/);
      await ask(other);
      const charged = await text(other, '#charged');
      assert.match(charged, /a Gaussian loss of [\d.e-]+; all answers together \([\d.]+, [\d.]+e-\d+\), the answers to come included/);
      await other.click('#charged button');
      await other.waitForSelector('dialog dl.facts');
      const certificate = await text(other, 'dialog');
      assert.match(certificate, /Dependent loss of all answers\s*\(1, [\d.]+e-\d+\), the answers to come included/);
      assert.match(certificate, /With a delta\s*Everything under the caps is \(1, /);
      await accessible(other, 'a certificate with a delta');
      await other.keyboard.press('Escape');
      await go(other, 'budget');
      await until('the budget', async () => pair.test(await text(other, '.meters')));
      assert.match(await text(other, '.meters .meter-words >> nth=0'), /Budget used\s*0\.1\d* of 100 %/);
      assert.match(await text(other, 'nav .meter-words'), /Used\s*0\.1\d* of 100 %/);
      await other.click('summary:has-text("What is promised")');
      assert.match(await text(other, 'main'), /With a delta\s*Everything under the caps is \(1, /);
      await accessible(other, 'a budget with a delta');
      await picture(other, 'delta');
      await go(other, 'plan');
      await other.fill('textarea', "SELECT count(*) AS n FROM people WHERE age < 20;");
      await until('the plan', async () => pair.test(await text(other, '.before')));
      assert.deepEqual(other.complaints, []);
      await other.context().close();
    } finally {
      await capped.stop();
    }
  });

  const rich = await startServer({epsilon: '40.0'});
  try {
    const other = await openPage(browser, rich.address);
    await logIn(other, rich.tokens.curator);
    const analyse = async (kind, fields, column) => {
      await go(other, 'analyse');
      await other.selectOption('main form select', kind);
      for (const [name, value] of Object.entries(fields)) await other.fill(`input[name=${name}]`, value);
      await other.fill('main form input[type=number]:not([name])', '4');
      await other.waitForSelector('.before .bars');
      await until('settled', async () => (await other.locator('.before[aria-busy=true]').count()) === 0);
      await other.click('button.main');
      await other.waitForSelector(`.answer:has(th:text-is("${column}")) .chart svg`);
      await picture(other, kind);
      await accessible(other, kind);
    };

    await step('curves are drawn as curves, in steps where they are stairs, each with its band', async () => {
      await analyse('cumulative', {column: 'age', cells: '20'}, 'low_95_all');
      let lines = await linesOf(other);
      assert.deepEqual(lines.map(isStairs), [true]);
      assert.ok(lines[0].slice(1).every(([x], i) => x >= lines[0][i][0]), 'from left to right');
      assert.equal(await other.locator('.answer .chart svg .chart-band path').count(), 1);
      assert.ok((await other.locator('.answer .chart svg').boundingBox()).height < 500);
      await analyse('survival', {time: 'months', event: "died = 'yes'", step: '6', by: 'ward'}, 'survival');
      lines = await linesOf(other);
      assert.deepEqual(lines.map(isStairs), [true, true, true, true]);
      assert.equal(new Set(lines.map(([first]) => String(first))).size, 1, 'everybody is there at the beginning');
      assert.equal(await other.locator('.answer .chart svg .chart-band path').count(), 4);
      const labels = await labelsOf(other);
      for (const ward of ['North', 'East', 'South', 'West']) assert.ok(labels.includes(ward), ward);
      await analyse('percentiles', {column: 'age'}, 'rank');
      assert.deepEqual((await linesOf(other)).map(isStairs), [false], 'the check sees a line that is no stairs');
      assert.equal(await other.locator('.answer .chart svg .chart-band path').count(), 1);
    });

    await step('two columns are a heat table with residuals; ends of intervals name no row', async () => {
      await analyse('contingency', {rows: 'ill', columns: 'job'}, 'residual');
      assert.equal(await other.locator('.answer .chart svg .heat rect').count(), 10);
      const rows = await other.locator('.answer tbody tr').allInnerTexts();
      const labels = (await labelsOf(other)).join('\n');
      for (const row of rows) assert.ok(labels.includes(row.split('\t')[4].replace(/^(?=[\d.])(?!0$)/, '+')), row);
      await analyse('regression', {target: 'age', features: 'months'}, 'coefficient');
      const names = (await labelsOf(other)).filter((label) => /[a-z(]/.test(label));
      assert.deepEqual(names.slice(0, 2), ['(intercept)', 'months']);
      assert.equal(await other.locator('.answer .chart svg .chart-bar line').count() >= 2, true);
    });
    assert.deepEqual(other.complaints, []);
    await other.context().close();
  } finally {
    await rich.stop();
  }

  await step('who logs out leaves nothing behind', async () => {
    await page.click('text=Log out');
    await page.waitForSelector('input[name=token]');
    assert.equal(await page.evaluate(() => sessionStorage.length), 0);
    await page.reload();
    await page.waitForSelector('input[name=token]');
  });

  assert.deepEqual(page.complaints, []);
  console.log(`${steps.length} steps passed`);
} finally {
  await browser.close();
  await server.stop();
}
