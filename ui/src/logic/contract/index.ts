/** The JSON contract, version 1, as docs/json.md describes it. An absent fact is an absent key. */

export type * from "./analysis";
export type * from "./casebook";
export type * from "./comparison";
export type * from "./loop";
export type * from "./counted";
export type * from "./traced";
export type * from "./recommendation";
export type * from "./report";
export type * from "./tree";
