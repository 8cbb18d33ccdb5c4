// The messages of the page: one line for texts, one for long work.
import { Cancelled, type Client } from './client';
import { byId } from './dom';
import { pageWords } from './plain';
import { short, t } from './strings';

/** Milliseconds for which a confirmation is shown. */
const briefly = 6000;

let leaving: ReturnType<typeof setTimeout> | undefined;

export function say(text: string, isError = false) {
  clearTimeout(leaving);
  const box = byId('message');
  box.hidden = text === '';
  byId('message-text').textContent = short(text, 2000);
  byId('message-links').replaceChildren();
  box.classList.toggle('error', isError);
}

/** Adds buttons to a message, if it is still the one that is shown. */
export function offer(text: string, links: HTMLElement[]) {
  if (byId('message-text').textContent === short(text, 2000)) byId('message-links').replaceChildren(...links);
}

/** Confirms what the user did. Unlike a message about something that is missing, it leaves by itself. */
export function confirm(text: string) {
  say(text);
  leaving = setTimeout(() => say(''), briefly);
}

/** The button of the message, and the key Escape, close it. */
export function listenToClose() {
  byId('message-close').onclick = () => say('');
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !byId('message').hidden) say('');
  });
}

export function failed(error: unknown) {
  say(messageOf(error), !(error instanceof Cancelled));
}

/** An error in the words of the page. */
export function messageOf(error: unknown): string {
  if (error instanceof Cancelled) return t('cancelled');
  return pageWords(error instanceof Error ? error.message : String(error));
}

/** Shows the share of long work that is done, if it is known. */
export function progress(done = 0, all = 0) {
  const bar = byId<HTMLProgressElement>('progress');
  if (all > 0) bar.value = Math.min(1, done / all);
  else bar.removeAttribute('value');
  byId('busy-text').textContent = all > 0 ? t('percent', Math.floor(100 * bar.value)) : t('working');
}

/** Shows the work of a client, if it takes long, with a button that cancels it. */
export function watch(client: Client) {
  let since: ReturnType<typeof setTimeout> | undefined;
  client.onbusy = (count) => {
    if (count > 0) {
      since ??= setTimeout(() => (byId('busy').hidden = false), 400);
      return;
    }
    clearTimeout(since);
    since = undefined;
    byId('busy').hidden = true;
    progress();
  };
  client.onprogress = progress;
  byId('cancel').onclick = () => client.cancel();
}
