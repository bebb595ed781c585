// The choice of languages, which the browser remembers.
import { ServiceError, postJson } from './api.js';
import { byId, setDisabled, setOptions } from './elements.js';
import { store, stored } from './store.js';
import { pageLanguage, say } from './words.js';

const storeName = 'dietmt-languages';
const auto = 'auto';

let languages = [];
let detected = '';  // the language of the text, while From is `auto`
const names = new Intl.DisplayNames(pageLanguage, { type: 'language' });
// The server sends English names, and only those of source languages.
const sentName = (code) => languages.find((one) => one.code === code)?.name;
export const nameOf = (code) => (pageLanguage === 'en' && sentName(code))
  || names.of(code.replaceAll('_', '-'));
const allTargets = () => [...new Set(languages.flatMap(({ targets }) => targets))];
const targetsOf = (code) => (code === auto ? allTargets()
  : languages.find((language) => language.code === code)?.targets ?? []);

export const detects = () => byId('source').value === auto;
// `source` is empty while the language of the text is unknown.
export const chosen = () => ({
  source: detects() ? detected : byId('source').value,
  target: byId('target').value,
});

function swapProblem({ source, target }) {
  if (!source) return say('The language of the text is not known yet.');
  return targetsOf(target).includes(source) ? ''
    : say('No model translates {source} to {target}.',
    { source: nameOf(target), target: nameOf(source) });
}

function showChoice() {
  const { source, target } = chosen();
  const problem = swapProblem({ source, target });
  setDisabled(byId('swap'), problem);
  byId('swap-reason').textContent = problem;
  byId('text').lang = source;
  byId('translation').lang = target;
  byId('source').options[0].textContent = detects() && detected
    ? say('Detected: {language}', { language: nameOf(detected) }) : say('Detect language');
}

function update(wantedTarget) {
  detected = '';
  setOptions(byId('target'),
    targetsOf(byId('source').value).map((code) => [code, nameOf(code)]), wantedTarget);
  showChoice();
  store('device', storeName, { source: byId('source').value, target: byId('target').value });
}

const surePercent = 90;

const partsOfScripts = {
  Hans: ['Han'], Hant: ['Han'], Jpan: ['Han', 'Hiragana', 'Katakana'], Kore: ['Han', 'Hangul'],
};

// Whether most letters are of the script in which the language is written.
function isInScriptOf(code, text) {
  try {
    const { script } = new Intl.Locale(code.replaceAll('_', '-')).maximize();
    const parts = (partsOfScripts[script] ?? [script]).map((part) => `\\p{Script=${part}}`);
    const count = (pattern) => text.match(new RegExp(pattern, 'gu'))?.length ?? 0;
    return count(`[${parts.join('')}]`) > 0.5 * count('\\p{Letter}');
  } catch {  // a code that browsers do not know
    return false;
  }
}

// The language of the text; for short text, a guess that has a model.
function sourceOf(text, found, target) {
  const fits = (code) => targetsOf(code).includes(target);
  const [{ language, confidence }] = found;
  if (fits(language) || confidence >= surePercent) return language;
  return found.map((one) => one.language).find(fits)
    ?? languages.map(({ code }) => code).find((code) => fits(code) && isInScriptOf(code, text))
    ?? language;
}

// Detects the language of the text if From is `auto`.
export async function detectSource(text, signal) {
  if (!detects()) return;
  const found = await postJson('detect', { q: text }, signal);
  const { target } = chosen();
  const language = sourceOf(text, found, target);
  if (!targetsOf(language).includes(target)) {
    throw new ServiceError(say(
      'The text seems to be {language}, which this server does not translate to {target}. Choose the languages.',
      { language: nameOf(language), target: nameOf(target) }));
  }
  detected = language;
  showChoice();
}

// Returns false if no model translates in this direction.
export function choose(source, target) {
  if (!targetsOf(source).includes(target)) return false;
  byId('source').value = source;
  update(target);
  return true;
}

// Leaves out translation into the same language, which LibreTranslate's list may contain. `changed`
// and `swapped` are called after the user has done so.
export function setUpLanguages(list, settings, changed, swapped) {
  languages = list.map((language) => ({
    ...language,
    targets: language.targets.filter((code) => code !== language.code),
  })).filter((language) => language.targets.length > 0);
  setOptions(byId('source'),
    [[auto, say('Detect language')], ...languages.map(({ code }) => [code, nameOf(code)])]);
  const { source, target } = stored('device', storeName, {});
  const { language } = settings;
  if (!choose(source, target) && !choose(language.source.code, language.target.code)) update();

  for (const id of ['source', 'target']) {
    byId(id).addEventListener('change', () => {
      update();
      changed();
    });
  }
  byId('swap').addEventListener('click', () => {
    const { source: from, target: to } = chosen();
    choose(to, from);
    swapped();
  });
}
