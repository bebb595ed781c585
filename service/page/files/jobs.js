// Batch jobs: how a file becomes one, and the list of jobs with their progress.
import { apiKey, getJson, request } from './api.js';
import { byId, element, showProblem } from './elements.js';
import { action, fileItem } from './file_list.js';
import { say } from './words.js';

const pollMilliseconds = 2000;
const running = ({ state }) => state === 'queued' || state === 'running';
const stateNames = {
  queued: say('Waiting'), running: say('Translating'), done: say('Done'), failed: say('Failed'),
  cancelled: say('Cancelled'),
};

let jobs = new Map();  // by id, newest first
let next = null;       // where the next page of the list begins
let timer = 0;

const failed = (error) => showProblem(error.message);

function timeLeft(seconds) {
  if (seconds < 90) return say('{seconds} s left', { seconds: Math.ceil(seconds) });
  if (seconds < 5400) return say('{minutes} min left', { minutes: Math.ceil(seconds / 60) });
  return say('{hours} h left', { hours: (seconds / 3600).toFixed(1) });
}

function description(job) {
  const parts = [stateNames[job.state] ?? job.state];
  if (job.source) parts.push(`${job.source} → ${job.target}`);
  parts.push(say('{done} of {lines} lines', { done: job.lines_done, lines: job.lines }));
  if (running(job) && job.lines_per_second)
    parts.push(say('{count} lines/s', { count: job.lines_per_second.toFixed(1) }));
  if (running(job) && job.seconds_left !== null) parts.push(timeLeft(job.seconds_left));
  if (job.bad_lines > 0)
    parts.push(say('{count} lines could not be translated', { count: job.bad_lines }));
  if (job.cut_lines > 0) parts.push(say('{count} long lines were cut', { count: job.cut_lines }));
  if (job.guarded_lines > 0) parts.push(say('check {count} translations', { count: job.guarded_lines }));
  return parts.join(' · ');
}

async function download(job, partial) {
  const path = `v1/jobs/${job.id}/result${partial ? '?partial=1' : ''}`;
  const link = element('a', { download: job.name || 'translation', href: path });
  // A plain link streams to the disk, but cannot carry a key.
  if (apiKey()) {
    link.href = URL.createObjectURL(await (await request(path)).blob());
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }
  link.click();
}

async function end(job) {
  const { status } = await request(`v1/jobs/${job.id}`, { method: 'DELETE' });
  if (status === 204) jobs.delete(job.id);  // removed, not cancelled
  await refreshJobs();
}

function jobElement(job) {
  const item = fileItem(job.name || say('unnamed file'));
  item.dataset.id = job.id;
  return item;
}

function update(item, job) {
  item.querySelector('.text').textContent = description(job);
  const bar = item.querySelector('progress');
  bar.max = Math.max(1, job.lines);
  bar.value = job.lines_done;
  item.querySelector('.error').textContent = job.error ?? '';
  if (item.dataset.state === job.state) return;
  item.dataset.state = job.state;
  const name = job.name || say('unnamed file');
  const actions = [];
  if (job.state === 'done') actions.push(action(say('Download'), name, () => download(job, false), failed));
  if (job.state === 'cancelled' || job.state === 'failed')
    actions.push(action(say('Download what is done'), name, () => download(job, true), failed));
  actions.push(action(say(running(job) ? 'Cancel' : 'Remove'), name, () => end(job), failed));
  item.querySelector('.actions').replaceChildren(...actions);
}

// Leaves elements that are already in place: moving an element loses the focus.
function arrange(list, items) {
  const wanted = new Set(items);
  for (const child of [...list.children]) if (!wanted.has(child)) child.remove();
  for (const [place, item] of items.entries())
    if (list.children[place] !== item) list.insertBefore(item, list.children[place] ?? null);
}

function show() {
  const list = byId('jobs');
  const known = new Map([...list.children].map((item) => [item.dataset.id, item]));
  arrange(list, [...jobs.values()].map((job) => {
    const item = known.get(job.id) ?? jobElement(job);
    update(item, job);
    return item;
  }));
  byId('more-jobs').hidden = next === null;
}

async function readNewest() {
  const page = await getJson('v1/jobs');
  const inPage = new Set(page.jobs.map(({ id }) => id));
  const oldest = page.jobs.at(-1)?.created ?? '';
  // Keep the older pages; jobs missing from this page's range were removed. Times are in seconds.
  const isOlder = (job) => page.next !== null && !inPage.has(job.id) && job.created <= oldest;
  const older = [...jobs.values()].filter(isOlder);
  if (older.length === 0) next = page.next;
  jobs = new Map([...page.jobs, ...older].map((job) => [job.id, job]));
  show();
}

export async function refreshJobs() {
  clearTimeout(timer);
  try {
    await readNewest();
  } finally {
    clearTimeout(timer);
    if ([...jobs.values()].some(running))
      timer = setTimeout(() => { if (!document.hidden) refreshJobs().catch(failed); }, pollMilliseconds);
  }
}

async function showOlder() {
  const page = await getJson(`v1/jobs?before=${encodeURIComponent(next)}`);
  for (const job of page.jobs) jobs.set(job.id, job);
  next = page.next;
  show();
}

function settingsFor(name) {
  if (/\.tsv(\.gz)?$/i.test(name))
    return { column: byId('column').value, output: byId('output').value };
  if (/\.jsonl(\.gz)?$/i.test(name))
    return { field: byId('field').value, output: byId('output').value };
  return {};
}

export async function submitJob(file, languages) {
  const form = new FormData();
  const settings = { ...languages, ...settingsFor(file.name) };
  for (const [name, value] of Object.entries(settings)) form.append(name, value);
  form.append('options', new Blob([JSON.stringify({ beam: Number(byId('beam').value) })],
    { type: 'application/json' }));
  form.append('file', file, file.name);
  await request('v1/jobs', { method: 'POST', body: form });
}

export async function setUpJobs() {
  byId('more-jobs').addEventListener('click', () => showOlder().catch(failed));
  document.addEventListener('visibilitychange', () => { if (!document.hidden) refreshJobs().catch(failed); });
  await refreshJobs();
}
