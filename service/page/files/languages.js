// The choice of languages, which the browser remembers.
import { byId, setOptions } from './elements.js';

const storeName = 'dietmt-languages';

let languages = [];
const inEnglish = new Intl.DisplayNames('en', { type: 'language' });
// The server sends names only for source languages.
const nameOf = (code) => languages.find((language) => language.code === code)?.name
  ?? inEnglish.of(code.replaceAll('_', '-'));
const targetsOf = (code) => languages.find((language) => language.code === code)?.targets ?? [];

export const chosen = () => ({ source: byId('source').value, target: byId('target').value });

function storedChoice() {
  try {
    return JSON.parse(localStorage.getItem(storeName)) ?? {};
  } catch {
    return {};
  }
}

function update(wantedTarget) {
  const { source } = chosen();
  setOptions(byId('target'), targetsOf(source).map((code) => [code, nameOf(code)]), wantedTarget);
  const { target } = chosen();
  byId('swap').disabled = !targetsOf(target).includes(source);
  byId('text').lang = source;
  byId('translation').lang = target;
  localStorage.setItem(storeName, JSON.stringify(chosen()));
}

// Leaves out a language's translation into itself, which LibreTranslate's list may contain.
export function setUpLanguages(list, settings, changed) {
  languages = list.map((language) => ({
    ...language,
    targets: language.targets.filter((code) => code !== language.code),
  })).filter((language) => language.targets.length > 0);
  const stored = storedChoice();
  const wanted = { source: settings.language.source.code, target: settings.language.target.code };
  if (targetsOf(stored.source).includes(stored.target)) Object.assign(wanted, stored);
  setOptions(byId('source'), languages.map(({ code, name }) => [code, name]), wanted.source);
  update(wanted.target);

  byId('source').addEventListener('change', () => { update(); changed(); });
  byId('target').addEventListener('change', () => { update(); changed(); });
  byId('swap').addEventListener('click', () => {
    const { source, target } = chosen();
    byId('source').value = target;
    update(source);
    const translation = byId('translation').textContent;
    if (translation) byId('text').value = translation;
    changed();
  });
}
