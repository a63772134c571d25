// A real `kith serve` in a scratch folder of its own.
import {execFileSync, spawn} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';

const kith = resolve(process.env.KITH ?? 'build/kith');
const wards = ['North', 'East', 'South', 'West'];
const jobs = ['none', 'office', 'care', 'trade', 'study'];

const policy = `[data]
tables.people = "people.csv"

[unit]
table = "people"
key = "id"
max_rows = 1
presence = "public"

[columns.people]
house = { type = "integer", public = true }
ward = { values = ["${wards.join('", "')}"], public = true, required = true }
age = { lower = 0, upper = 100 }
ill = { values = ["no", "yes"] }
job = { values = ["${jobs.join('", "')}"] }
months = { type = "integer", lower = 0, upper = 60, required = true }
died = { values = ["no", "yes"], required = true }

[dependence]
source = "public"
kind = "group"
by = "house"
size = 3
odds_ratio = 4

[budget]
epsilon = 1.0
ledger = "people.ledger"

[server]
approve_above = 0.1
tick = "10ms"
`;

function people() {
  const lines = ['id,house,ward,age,ill,job,months,died'];
  for (let i = 0; i < 6000; ++i) {
    const mixed = (i * 2654435761) % 4294967296;
    lines.push(`${i},${Math.floor(i / 3)},${wards[Math.floor(i / 3) % 4]},${mixed % 95},${mixed % 4 === 0 ? 'yes' : 'no'},${jobs[mixed % 5]},${mixed % 61},${mixed % 3 ? 'yes' : 'no'}`);
  }
  return `${lines.join('\n')}\n`;
}

/** {address, tokens, password, stop}; the password is that of the analyst, ada. The data are imported already, as a curator would do it; there are an analyst and a curator. */
export async function startServer({epsilon = '1.0', budget = ''} = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'kith-console-'));
  writeFileSync(join(folder, 'people.toml'), policy.replace('epsilon = 1.0\n', `epsilon = ${epsilon}\n${budget}`));
  writeFileSync(join(folder, 'people.csv'), people());
  execFileSync(kith, ['import', 'people.toml'], {cwd: folder, stdio: 'pipe'});
  const add = (...words) => JSON.parse(execFileSync(kith, ['user', 'add', ...words, '--state', 'state', '--json'], {cwd: folder, stdio: 'pipe'})).token;
  const tokens = {
    analyst: add('ada', '--role', 'analyst', '--dataset', 'people', '--epsilon', '0.6'),
    curator: add('cleo', '--role', 'curator'),
  };
  const password = 'correct horse battery staple';
  execFileSync(kith, ['user', 'password', 'ada', '--state', 'state'], {cwd: folder, input: `${password}\n`, stdio: 'pipe'});
  const process_ = spawn(kith, ['serve', 'people.toml', '--state', 'state', '--listen', '127.0.0.1:0'], {cwd: folder, stdio: ['ignore', 'ignore', 'pipe']});
  let said = '';
  const address = await new Promise((done, fail) => {
    process_.stderr.on('data', (text) => {
      said += text;
      const found = /listens on (http:\/\/127\.0\.0\.1:\d+)/.exec(said);
      if (found) done(found[1]);
    });
    process_.on('exit', () => fail(new Error(`kith serve ended: ${said}`)));
  });
  const stop = async () => {
    process_.removeAllListeners('exit');
    const ended = new Promise((done) => process_.on('exit', done));
    process_.kill('SIGTERM');
    await ended;
    rmSync(folder, {recursive: true, force: true});
  };
  return {address, tokens, password, stop};
}
