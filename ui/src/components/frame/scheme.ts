/** Keeps the choice of colours, where the browser lets a page keep anything. */

import { type Scheme, scheme } from "../../logic/scheme";

const KEY = "loopwright:scheme";

export function storedScheme(): Scheme {
    try {
        return scheme(localStorage.getItem(KEY));
    } catch {
        return "auto";
    }
}

/** Shows the page in these colours, without keeping them. */
export function applyScheme(chosen: Scheme): void {
    if (chosen === "auto") delete document.documentElement.dataset.scheme;
    else document.documentElement.dataset.scheme = chosen;
}

export function storeScheme(chosen: Scheme): void {
    try {
        localStorage.setItem(KEY, chosen);
    } catch {
        // A page opened from a file may not be allowed to: the choice then holds as long as the page is open.
    }
}
