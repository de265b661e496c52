/** The parts of a loop's page, in the order in which a reader needs them; `?at=NAME` leads to each. */

export const SECTIONS = [
    { at: "advice", title: "What to do" },
    { at: "source", title: "Source" },
    { at: "time", title: "Time" },
    { at: "why", title: "Why not vectorised" },
    { at: "vectors", title: "Vector use" },
    { at: "bound", title: "What binds it" },
    { at: "trips", title: "Trip counts" },
    { at: "work", title: "Work" },
    { at: "roofline", title: "Roofline" },
    { at: "access", title: "Memory accesses" },
    { at: "memory", title: "Caches and memory" },
    { at: "branches", title: "Branches" },
    { at: "dependences", title: "Dependences" },
    { at: "head", title: "Place and nest" },
] as const;

export type SectionName = (typeof SECTIONS)[number]["at"];

/** The part that a route's `at` names. */
export function sectionOf(name: string | null): SectionName | undefined {
    return SECTIONS.find((each) => each.at === name)?.at;
}
