// The document of a browser, for components. Imported before React, which looks for one when it is loaded.
import { Window } from "happy-dom";

const window = new Window({ url: "http://page.test/" });

Object.assign(globalThis, {
  window,
  document: window.document,
  sessionStorage: window.sessionStorage,
  location: window.location,
  history: window.history,
  HTMLElement: window.HTMLElement,
  IS_REACT_ACT_ENVIRONMENT: true,
});

/** An element that a component is drawn into. */
export type Drawn = { readonly textContent: string; readonly innerHTML: string };

/** As React takes it. Its type is React's own, which is not there without the DOM's types. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- whoever calls knows the type
export function newElement<Element>(): Element & Drawn {
  return window.document.createElement("div") as unknown as Element & Drawn;
}

/** Forgets what components have kept. */
export function forgetPage(): void {
  window.sessionStorage.clear();
  window.history.replaceState(null, "", "http://page.test/");
}
