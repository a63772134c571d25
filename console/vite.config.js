// Builds the page into dist/: files with fixed names, which src/server/console_files.cc puts into the program.
import {createHash} from 'node:crypto';
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {gzipSync} from 'node:zlib';
import {defineConfig} from 'vite';
import {licencesOf} from './licences.js';

// Plot writes a <style> element into every chart, which the page's Content-Security-Policy forbids, as it should.
// Its rules are in style.css instead.
function withoutInlineStyle() {
  return {
    name: 'without-inline-style',
    transform(code, id) {
      if (!id.endsWith('@observablehq/plot/src/plot.js')) return null;
      const inline = /\.call\(\(svg\) =>\s*\/\/ Warning: if you edit this[^\n]*\n\s*svg\.append\("style"\)\.text\(\s*`[^`]*`\s*\)\s*\)/;
      if (!inline.test(code)) throw new Error('Plot has changed: look for the <style> element that it writes');
      return {code: code.replace(inline, ''), map: null};
    },
  };
}

function withLicences() {
  return {
    name: 'with-licences',
    generateBundle(_, bundle) {
      const modules = Object.values(bundle).flatMap((part) => Object.entries(part.modules ?? {})
        .filter(([, module]) => module.renderedLength > 0).map(([id]) => id));
      this.emitFile({type: 'asset', fileName: 'LICENSES.txt', source: licencesOf(modules)});
    },
  };
}

// dist/SOURCES.sha256 says what the page was built from; tools/check_console.py notices when that has changed since.
function withSources() {
  const list = (folder) => readdirSync(new URL(folder, import.meta.url)).map((name) => folder + name);
  const files = ['index.html', 'licences.js', 'package-lock.json', 'vite.config.js', ...list('public/'), ...list('src/')].sort();
  return {
    name: 'with-sources',
    generateBundle() {
      const lines = files.map((name) => `${createHash('sha256').update(readFileSync(new URL(name, import.meta.url))).digest('hex')}  ${name}\n`);
      this.emitFile({type: 'asset', fileName: 'SOURCES.sha256', source: lines.join('')});
    },
  };
}

// The two large files are there a second time, compressed.
function withCompressed() {
  const place = (name) => new URL(`dist/${name}`, import.meta.url);
  return {
    name: 'with-compressed',
    closeBundle() {
      for (const name of ['console.js', 'console.css']) writeFileSync(place(`${name}.gz`), gzipSync(readFileSync(place(name)), {level: 9}));
    },
  };
}

export default defineConfig({
  base: '/console/',
  plugins: [withoutInlineStyle(), withLicences(), withSources(), withCompressed()],
  oxc: {jsx: {runtime: 'automatic', importSource: 'preact'}},
  build: {
    target: 'es2022',
    modulePreload: {polyfill: false},
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    rollupOptions: {
      output: {
        entryFileNames: 'console.js',
        assetFileNames: 'console[extname]',
        codeSplitting: false,
      },
    },
  },
});
