/** What to change, and what it would gain. */

/** Lowest and highest; 2.0 is twice as fast. */
export type Gain = [number, number];

export type Confidence = "low" | "medium" | "high";

export interface Recommendation {
    id: string;
    rule: string;
    title: string;
    loop_id?: number;
    group?: number;
    function?: string;
    place?: string;
    share?: number;
    loop_gain?: Gain;
    program_gain?: Gain;
    confidence: Confidence;
    evidence: string[];
    how: string;
    c?: CodeChange;
    fortran?: CodeChange;
    flags?: { compiler: string; flags: string }[];
    environment?: { name: string; value: string; meaning: string }[];
    next?: string;
    case?: string;
    sources?: string[];
}

export interface CodeChange {
    before: string;
    after: string;
}
