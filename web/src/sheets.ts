import { byId, element } from "./dom";
import type { GalleryEntry } from "./protocol";

const KEYS: [string, string][] = [
  ["Space", "play, pause"], [".", "one frame on"], [",", "one frame back"], ["R", "from the beginning"],
  ["Z", "two seconds back"], ["Enter", "go on from the moment shown"], ["+ −", "faster, slower"], ["1 2 3", "drag, push, throw"],
  ["Arrows", "push that way"], ["B", "throw a ball at the chest"], ["F", "the camera follows"], ["C", "performer in the middle"],
  ["N", "next performer"], ["O", "ghost: beside, in place, hidden"], ["V", "contact forces"], ["P", "pressure on the body"],
  ["G", "gallery"], ["T", "dark, light"], ["H ?", "this sheet"], ["Esc", "close"],
];

function heading(text: string, dialog: HTMLDialogElement) {
  const close = element("button", { "aria-label": "Close" }, "Close");
  close.onclick = () => dialog.close();
  return element("h1", {}, text, close);
}

export function buildHelp() {
  const dialog = byId<HTMLDialogElement>("help");
  dialog.append(
    heading("Hands on", dialog),
    element("p", { class: "quiet" }, "Drag a body part: it is pulled by a spring. Drag elsewhere to turn the view, with the right button to shift it, wheel to come closer. Drop a BVH, GLB or FBX anywhere."),
    element("div", { class: "keys" }, ...KEYS.flatMap(([key, what]) => [element("kbd", {}, key), element("span", {}, what)])),
  );
  return dialog;
}

export function buildGallery(entries: GalleryEntry[], chosen: (id: string) => void) {
  const dialog = byId<HTMLDialogElement>("gallery");
  const cards = entries.map((entry, i) => {
    const picture = element("img", { src: `./gallery/${entry.id}.jpg`, alt: "", loading: "lazy" });
    picture.onerror = () => picture.replaceWith(element("div", { class: "blank" }));
    const card = element("button", { "data-scene": entry.id, autofocus: i === 0 }, picture, element("b", {}, entry.title), element("span", {}, entry.about), element("small", {}, entry.source));
    card.onclick = () => {
      dialog.close();
      chosen(entry.id);
    };
    return card;
  });
  dialog.replaceChildren(heading("Gallery", dialog), element("p", { class: "quiet" }, "Ready scenes. Each plays at once; then push, drag and change it."), element("div", { class: "cards" }, ...cards));
  return dialog;
}
