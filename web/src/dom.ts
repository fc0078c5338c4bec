// A few words for making elements.
type Attributes = Record<string, string | number | boolean | ((event: Event) => void) | undefined>;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children);
  return made;
}

export const byId = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

const ICONS: Record<string, string> = {
  play: "M7 4.5v15l13-7.5z",
  pause: "M6 4h4.5v16H6zM13.500 4H18v16h-4.500z",
  step: "M5 5v14l9-7zM16 5h3v14h-3z",
  back: "M19 5v14l-9-7zM5 5h3v14H5z",
  reset: "M12 5V1L6.500 6.500 12 12V8a5 5 0 1 1-5 5H4a8 8 0 1 0 8-8z",
  open: "M3 5h6l2 2.500h10V19H3zM5 9.500V17h14V9.500z",
  sun: "M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM11 1h2v4h-2zm0 18h2v4h-2zM1 11h4v2H1zm18 0h4v2h-4zM4.200 5.600l1.400-1.400 2.800 2.800L7 8.400zM15.600 17l1.400-1.400 2.800 2.800-1.400 1.400zM5.600 19.800l-1.400-1.400L7 15.600 8.400 17zM17 8.400 15.600 7l2.800-2.800 1.400 1.400z",
};
export function icon(name: string) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

// The value of a theme's colour; asked for often, so kept.
const colours = new Map<string, string>();
export function colour(name: string) {
  const root = document.documentElement, key = `${root.dataset.theme} ${name}`;
  let value = colours.get(key);
  if (value === undefined) colours.set(key, (value = getComputedStyle(root).getPropertyValue(name).trim()));
  return value;
}
