// What the browser stores as JSON. If it forbids storage, nothing is remembered; nothing else
// depends on it.

const places = { tab: () => sessionStorage, device: () => localStorage };

export function stored(place, name, otherwise) {
  try {
    return JSON.parse(places[place]().getItem(name)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function store(place, name, value) {
  try {
    places[place]().setItem(name, JSON.stringify(value));
  } catch {
    // Storage is full or forbidden.
  }
}
