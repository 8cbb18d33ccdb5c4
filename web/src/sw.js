// Keeps the page for use without a network. The build replaces the version and the list of files.
const cacheName = 'meshpeek-VERSION';
const files = [/* FILES */];

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(cacheName).then((cache) => cache.addAll(files)).then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => {
  const old = async () => {
    for (const name of await caches.keys()) if (name.startsWith('meshpeek-') && name !== cacheName) await caches.delete(name);
    await self.clients.claim();
  };
  event.waitUntil(old());
});

// Only files of the page: files that the user opens by address are never kept.
self.addEventListener('fetch', (event) => {
  const url = new URL(event.request.url);
  url.hash = '';
  url.search = '';
  const own = files.some((file) => new URL(file, self.registration.scope).href === url.href);
  if (event.request.method !== 'GET' || !own) return;
  event.respondWith(caches.open(cacheName).then((cache) => cache.match(url.href)).then((kept) => kept ?? fetch(event.request)));
});
