// Writes dist/LICENSES.txt: the licence of every package of which something is in the built page.
import {existsSync, readFileSync, readdirSync} from 'node:fs';

/** `modules`: the files that the page was built from. */
export function licencesOf(modules) {
  const folders = new Set();
  for (const id of modules) {
    const found = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id);
    if (found) folders.add(found[1]);
  }
  // A package that comes as one bundled file has the packages inside it that it depends on.
  for (const folder of folders) {
    const {dependencies = {}} = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
    if (existsSync(`${folder}/src`)) continue;
    for (const name of Object.keys(dependencies)) folders.add(`${folder.replace(/\/node_modules\/.*$/, '/node_modules')}/${name}`);
  }
  const parts = [...folders].map((folder) => {
    const {name, version, license} = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    if (!file) throw new Error(`${name} has no licence file: look at its terms before its code becomes part of the page`);
    return {name, text: `${name} ${version} (${license})\n\n${readFileSync(`${folder}/${file}`, 'utf8').trim()}\n`};
  });
  parts.sort((a, b) => (a.name < b.name ? -1 : 1));
  return `The console of kith contains code of these packages.\n\n${parts.map((p) => p.text).join(`\n${'-'.repeat(80)}\n\n`)}`;
}
