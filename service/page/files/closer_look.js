// One sentence of the translation: its n-best list, and the piece scores of one hypothesis.
import { byId, element, readable, setOptions } from './elements.js';
import { forgetMap } from './attention_map.js';

let sentences = [];
let rank = 0;  // of the translation whose pieces are shown

const current = () => sentences[Number(byId('sentence').value)];

// The sentence and translation for the attention map.
export const lookedAt = () => ({
  text: current().source,
  translation: current().translations[rank].text,
});

const shortened = (text) => (text.length > 60 ? `${text.slice(0, 59)}…` : text);

function pieceElement({ piece, score }) {
  const probability = Math.exp(score);
  const shown = element('span', { title: `log-probability ${score.toFixed(3)}` },
    readable(piece), element('small', { textContent: probability.toFixed(2) }));
  shown.style.background = `rgba(var(--cold), ${(0.45 * (1 - probability)).toFixed(3)})`;
  return shown;
}

function showPieces() {
  for (const [index, button] of [...byId('alternatives').querySelectorAll('button')].entries())
    button.setAttribute('aria-pressed', String(index === rank));
  const { tokens = [] } = current().translations[rank];
  byId('pieces').replaceChildren(...tokens.map(pieceElement));
}

function showSentence() {
  rank = 0;
  forgetMap();
  byId('alternatives').replaceChildren(...current().translations.map(({ text, score }, index) => {
    const button = element('button', { type: 'button' },
      element('span', { className: 'number', textContent: score.toFixed(3) }),
      element('span', { textContent: text, lang: byId('translation').lang }));
    button.addEventListener('click', () => {
      rank = index;
      forgetMap();
      showPieces();
    });
    return element('li', {}, button);
  }));
  showPieces();
}

export function showSentences(list) {
  sentences = list.filter((sentence) => sentence.translations.length > 0);
  byId('closer-content').hidden = sentences.length === 0;
  byId('closer-empty').hidden = sentences.length > 0;
  setOptions(byId('sentence'),
    sentences.map((sentence, index) => [index, `${index + 1}: ${shortened(sentence.source)}`]));
  if (sentences.length > 0) showSentence();
}

export function setUpCloserLook() {
  byId('sentence').addEventListener('change', showSentence);
}
