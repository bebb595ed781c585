// Documents that the server translates in one request, if it has no batch jobs.
import { request } from './api.js';
import { byId, element } from './elements.js';
import { action, fileItem } from './file_list.js';
import { say } from './words.js';

function parts({ segments, warnings = [] }) {
  const all = [say('Done'), say('{count} texts translated', { count: segments.translated })];
  if (segments.copied > 0) all.push(say('{count} stay as they are', { count: segments.copied }));
  if (segments.refused > 0)
    all.push(say('{count} stay in the source language', { count: segments.refused }));
  const count = warnings.length;
  if (count > 0) all.push(count === 1 ? say('1 warning') : say('{count} warnings', { count }));
  return all.join(' · ');
}

function warningList(warnings) {
  return element('details', {}, element('summary', { textContent: say('Warnings') }),
    element('ul', {}, ...warnings.map((textContent) => element('li', { textContent }))));
}

function finish(item, name, text, ...actions) {
  item.querySelector('.text').textContent = text;
  item.querySelector('progress').remove();
  const remove = action(say('Remove'), name, () => item.remove());
  item.querySelector('.actions').replaceChildren(...actions, remove);
}

function finished(item, name, answer) {
  // The page may be reached by another address than the one in the answer.
  const written = answer.translatedFileUrl.split('/').pop();
  const extension = written.slice(written.lastIndexOf('.'));  // a PDF becomes another kind
  const download = `translated-${name.replace(/\.[^.]*$/, '')}${extension}`;
  const link = element('a',
    { href: `download_file/${written}`, download, textContent: say('Download') });
  link.className = 'button';
  link.setAttribute('aria-label', `${say('Download')} ${name}`);
  finish(item, name, parts(answer), link);
  if (answer.warnings) item.querySelector('.about').append(warningList(answer.warnings));
}

// Resolves when the document is translated or the user has cancelled it.
export async function translateDocument(file, settings) {
  const item = fileItem(file.name);
  const controller = new AbortController();
  item.querySelector('.actions').append(action(say('Cancel'), file.name, () => controller.abort()));
  byId('documents').prepend(item);
  const begin = Date.now();
  const tick = () => {
    const seconds = Math.round((Date.now() - begin) / 1000);
    item.querySelector('.text').textContent = `${say('Translating')} · ${seconds} s`;
  };
  tick();
  const timer = setInterval(tick, 1000);
  const form = new FormData();
  for (const [name, value] of Object.entries(settings)) form.append(name, value);
  form.append('file', file, file.name);
  try {
    const response = await request('translate_file',
      { method: 'POST', body: form, signal: controller.signal });
    finished(item, file.name, await response.json());
  } catch (error) {
    finish(item, file.name, say(error.name === 'AbortError' ? 'Cancelled' : 'Failed'));
    if (error.name !== 'AbortError') item.querySelector('.error').textContent = error.message;
  } finally {
    clearInterval(timer);
  }
}
