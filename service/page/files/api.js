// Requests to the server. Every failure becomes a ServiceError with a message for the user.
import { store, stored } from './store.js';
import { say } from './words.js';

export class ServiceError extends Error {
  constructor(message, status = 0) {
    super(message);
    this.status = status;
  }
}

const keyName = 'dietmt-api-key';

export const apiKey = () => stored('tab', keyName, '');
export const setApiKey = (key) => store('tab', keyName, key);

const hints = {
  401: say('Enter an API key at the top of the page.'),
  403: say('The API key at the top of the page is not valid for this.'),
};

async function failureOf(response) {
  let message = say('The server answered {status}.', { status: response.status });
  try {
    message = (await response.json()).error || message;
  } catch {
    // Not JSON, for example a proxy's error page.
  }
  const wait = response.headers.get('Retry-After');
  if (wait) message += ` ${say('Try again in {wait} s.', { wait })}`;
  if (hints[response.status]) message += ` ${hints[response.status]}`;
  return new ServiceError(message, response.status);
}

// Resolves to the Response of a 2xx status.
export async function request(path, options = {}) {
  const headers = new Headers(options.headers);
  if (apiKey()) headers.set('X-API-Key', apiKey());
  let response;
  try {
    response = await fetch(path, { ...options, headers });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ServiceError(say('The server cannot be reached.'));
  }
  if (!response.ok) throw await failureOf(response);
  return response;
}

export const getJson = async (path, options) => (await request(path, options)).json();

export const postJson = (path, body, signal) => getJson(path, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
  signal,
});
