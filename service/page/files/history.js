// The last translations, kept only in this browser.
import { byId, element, setDisabled } from './elements.js';
import { choose, nameOf } from './languages.js';
import { store, stored } from './store.js';
import { say } from './words.js';

const entriesName = 'dietmt-history';
const keepName = 'dietmt-keep-history';
const mostEntries = 50;
const longestText = 5000;  // characters

let entries = stored('device', entriesName, []);  // {source, target, text, translation}, newest first
let show = () => {};  // an entry, as if it had been typed

function buttonOf(entry) {
  const button = element('button', { type: 'button' },
    element('span', { textContent: entry.text, lang: entry.source }),
    element('span', { textContent: entry.translation, lang: entry.target }),
    element('small', { className: 'quiet', textContent: `${nameOf(entry.source)} → ${nameOf(entry.target)}` }));
  button.addEventListener('click', () => {
    if (choose(entry.source, entry.target)) show(entry.text);
  });
  return button;
}

function update() {
  store('device', entriesName, entries);
  byId('history-list').replaceChildren(...entries.map((entry) => element('li', {}, buttonOf(entry))));
  byId('history-empty').hidden = entries.length > 0;
  setDisabled(byId('history-clear'), entries.length > 0 ? '' : say('There is no history.'));
}

// Text that continues the last entry replaces it; what remains while it is deleted is not kept.
export function remember(entry) {
  if (!byId('history-keep').checked || entry.text.length > longestText) return;
  const [last] = entries;
  const isSamePair = last && last.source === entry.source && last.target === entry.target;
  if (isSamePair && last.text !== entry.text && last.text.startsWith(entry.text)) return;
  const goesOn = isSamePair && entry.text.startsWith(last.text);
  entries = [entry, ...entries.slice(goesOn ? 1 : 0)].slice(0, mostEntries);
  update();
}

export function setUpHistory(showText) {
  show = showText;
  byId('history-keep').checked = stored('device', keepName, true);
  byId('history-keep').addEventListener('change', () => store('device', keepName, byId('history-keep').checked));
  byId('history-clear').addEventListener('click', () => {
    entries = [];
    update();
  });
  update();
}
