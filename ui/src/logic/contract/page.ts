/** Names that the page gives to parts of the contract. */

import type { Listing } from "./generated";

/** Address, text, index into the listing's files, line, self seconds, innermost loop. */
export type Instruction = Listing["instructions"][number];
