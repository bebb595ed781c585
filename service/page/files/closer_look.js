// One sentence of the translation: its n-best list, and the piece scores of one hypothesis.
import { byId, element, readable, setOptions } from './elements.js';
import { forgetMap } from './attention_map.js';
import { say } from './words.js';

let result = { sentences: [] };
let sentences = [];  // of the result, without those that have no translation
let ranks = [];      // of the chosen translations
let choose = () => {};

const index = () => Number(byId('sentence').value);
const current = () => sentences[index()];
const rank = () => ranks[index()];

// How many translations are sought and listed.
export function chosenSearch() {
  const beam = Number(byId('beam').value);
  return { beam, nbest: Math.min(beam, Number(byId('nbest').value)) };
}

// The sentence, its translation and the search that found it, for the attention map.
export const lookedAt = () => ({
  text: current().source,
  translation: current().translations[rank()].text,
  search: chosenSearch(),
});

const shortened = (text) => (text.length > 60 ? `${text.slice(0, 59)}…` : text);

function chosenText() {
  const texts = result.sentences.map((sentence) => sentence.before +
    (sentence.translations[ranks[sentences.indexOf(sentence)]]?.text ?? ''));
  return texts.join('') + result.after;
}

function pieceElement({ piece, score }) {
  const probability = Math.exp(score);
  const shown = element('span', { title: say('log-probability {score}', { score: score.toFixed(3) }) },
    readable(piece), element('small', { textContent: probability.toFixed(2) }));
  shown.style.background = `rgba(var(--cold), ${(0.45 * (1 - probability)).toFixed(3)})`;
  return shown;
}

function showPieces() {
  for (const [place, button] of [...byId('alternatives').querySelectorAll('button')].entries())
    button.setAttribute('aria-pressed', String(place === rank()));
  const { tokens = [] } = current().translations[rank()];
  byId('pieces').replaceChildren(...tokens.map(pieceElement));
}

function showSentence() {
  forgetMap();
  byId('alternatives').replaceChildren(...current().translations.map(({ text, score }, place) => {
    const button = element('button', { type: 'button' },
      element('span', { className: 'number', textContent: score.toFixed(3) }),
      element('span', { textContent: text, lang: byId('translation').lang }));
    button.addEventListener('click', () => {
      ranks[index()] = place;
      forgetMap();
      showPieces();
      choose(chosenText());
    });
    return element('li', {}, button);
  }));
  showPieces();
}

// `chooseText` is called with the whole text when the user chooses another translation.
export function showSentences(newResult, chooseText) {
  result = newResult;
  choose = chooseText;
  sentences = result.sentences.filter((sentence) => sentence.translations.length > 0);
  ranks = sentences.map(() => 0);
  byId('closer-content').hidden = sentences.length === 0;
  byId('closer-empty').hidden = sentences.length > 0;
  setOptions(byId('sentence'),
    sentences.map((sentence, place) => [place, `${place + 1}: ${shortened(sentence.source)}`]));
  if (sentences.length > 0) showSentence();
}

export function setUpCloserLook() {
  byId('sentence').addEventListener('change', showSentence);
}
