// The lists of files: an item for each, with its progress and what can be done with it.
import { element } from './elements.js';
import { say } from './words.js';

export function fileItem(name) {
  const about = element('div', { className: 'about' },
    element('div', { className: 'name', textContent: name }),
    element('div', { className: 'quiet text' }),
    element('progress', {}),
    element('div', { className: 'error' }));
  about.querySelector('progress').setAttribute('aria-label', say('Progress of {name}', { name }));
  return element('li', {}, about, element('div', { className: 'actions' }));
}

// A button whose failures go to `failed`.
export function action(text, name, act, failed) {
  const button = element('button', { type: 'button', textContent: text });
  button.setAttribute('aria-label', `${text} ${name}`);
  button.addEventListener('click', async () => {
    try {
      await act();
    } catch (error) {
      failed(error);
    }
  });
  return button;
}
