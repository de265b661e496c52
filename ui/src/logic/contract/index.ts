/** The JSON contract: `generated.ts` is derived from the Rust types, see CONTRIBUTING.md. */

export type * from "./generated";
export type * from "./page";
