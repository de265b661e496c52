/** The reader's choice of colours. */

export const SCHEMES = ["auto", "light", "dark"] as const;
export type Scheme = (typeof SCHEMES)[number];

/** Anything unknown is no choice. */
export function scheme(text: string | null): Scheme {
    return SCHEMES.find((each) => each === text) ?? "auto";
}
