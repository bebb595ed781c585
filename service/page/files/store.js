// What the browser keeps as JSON. One that forbids this forgets: nothing else depends on it.

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
    // It is full or forbidden.
  }
}
