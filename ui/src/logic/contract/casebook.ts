/** The casebook's document; docs/json.md, "A casebook", describes every key. */

import type { Confidence, Gain } from "./recommendation";

export interface Casebook {
    schema: 1;
    version: string;
    generated: string;
    casebook: { hit_rate: HitRate; cases: CaseRecord[] };
}

export interface HitRate {
    rungs: number;
    recommended: number;
    predicted: number;
    came_true: number;
}

export interface CaseRecord {
    schema: number;
    case: string;
    order: number;
    title: string;
    source: string;
    problem: string;
    input: string;
    processor: string;
    cpus: number;
    compare: Record<string, Expectation>;
    ladders: Ladder[];
    notes?: string[];
}

/** How a result is held: against the first stage's, a bound or an analytic answer. */
export interface Expectation {
    relative?: number;
    absolute?: number;
    exact?: boolean;
    at_most?: number;
    ignore?: boolean;
    value?: number;
}

/** The stages of one language, built by one family of compilers. */
export interface Ladder {
    track?: string;
    family: string;
    versions: string[];
    /** 0 where nothing was timed. */
    rounds: number;
    stages: StageRecord[];
}

export interface StageRecord {
    name: string;
    title: string;
    change: string;
    /** Index of the stage that it is compared with. */
    from?: number;
    expected?: string[];
    because?: string;
    miss?: string;
    commands?: string[];
    run?: string;
    threads: number;
    left_out?: string;
    wrong?: string;
    results?: Record<string, number>;
    measured?: Measured;
    advice?: StageAdvice;
    rung?: Rung;
    pictures?: Pictures;
}

/** A median with its 95 % interval. */
export interface Estimate {
    median: number;
    low: number;
    high: number;
}

export interface Measured {
    seconds: Estimate;
    elapsed: Estimate;
    gain?: Estimate;
    gain_first?: Estimate;
    program_gain?: Estimate;
    gflops?: number;
    gbytes?: number;
    ceiling?: CeilingShare;
}

export interface CeilingShare {
    name: string;
    rate: number;
    unit: string;
    share: number;
}

export interface StageAdvice {
    command: string;
    recommendations: Fired[];
}

/** A recommendation, for all places that it names. */
export interface Fired {
    id: string;
    title: string;
    confidence: Confidence;
    places: string[];
    program_gain?: Gain;
}

/** The advice of one stage held against the next. */
export interface Rung {
    id?: string;
    /** From 1. */
    rank?: number;
    predicted?: Gain;
    came_true?: boolean;
}

export interface Pictures {
    title: string;
    frames: Frame[];
}

/** Points at one moment: x and y from 0 to 1, and what kind of point it is. */
export interface Frame {
    step: number;
    points: [number, number, number][];
}
