import { useMemo } from "preact/hooks";
import type { Report } from "../../logic/contract";
import type { Route } from "../../logic/route";
import { type CeilingLine, ceilingLines, coresAtFirst, elementAtFirst, elements, kernelAtFirst, kernels, measuredCores } from "../../logic/roofline/ceilings";
import { type AxisKind, type Placed, axesOf, placedOn } from "../../logic/roofline/placed";

/** What the reader chose, or what fits the loops best. */
export interface Choices {
    axes: AxisKind[];
    axis: AxisKind;
    /** Loops of the axis, that with most self time first. */
    places: Placed[];
    measured: { cores: number[]; kernels: string[]; elements: string[] };
    cores: number[];
    kernel: string | undefined;
    element: string | undefined;
    lines: CeilingLine[];
    least: number;
    /** The loop that is marked. */
    loop: number | undefined;
}

function among<T>(all: readonly T[], wanted: T | undefined, otherwise: T | undefined): T | undefined {
    return wanted !== undefined && all.includes(wanted) ? wanted : otherwise;
}

/** The smallest share of the time that loops must have; addresses say it in percent. */
function leastShare(route: Route): number {
    const percent = Number(route.query.get("least") ?? 0);
    return Number.isFinite(percent) && percent > 0 ? percent / 100 : 0;
}

export function useChoices({ analysis }: Report, { query }: Route): Choices {
    const ceilings = analysis.machine?.ceilings;
    const { loops } = analysis;
    const text = (key: string): string | undefined => query.get(key) ?? undefined;
    const marked = /^\d{1,9}$/.test(text("loop") ?? "") ? Number(text("loop")) : undefined;
    const axes = useMemo(() => axesOf(loops), [loops]);
    const markedKind = useMemo(() => loops.find((loop) => loop.id === marked)?.roofline?.kind, [loops, marked]);
    // A link to a loop shows the loop's axis.
    const markedAxis = markedKind === "bytes" ? undefined : markedKind;
    const axis = among(axes, text("axis") as AxisKind | undefined, among(axes, markedAxis, axes[0])) ?? "flop";
    const places = useMemo(() => placedOn(loops, axis), [loops, axis]);
    const first = useMemo(
        () =>
            ceilings && {
                measured: { cores: measuredCores(ceilings), kernels: kernels(ceilings), elements: elements(ceilings) },
                cores: coresAtFirst(ceilings, loops),
                kernel: kernelAtFirst(ceilings, loops, axis),
                element: elementAtFirst(ceilings, loops),
            },
        [ceilings, loops, axis],
    );
    const measured = first?.measured ?? { cores: [], kernels: [], elements: [] };
    const coresText = text("cores");
    const kernel = among(measured.kernels, text("kernel"), first?.kernel);
    const element = among(measured.elements, text("element"), first?.element);
    const cores = useMemo(() => {
        const wanted = (coresText ?? "").split(".").map(Number).filter((each) => first?.measured.cores.includes(each));
        return wanted.length > 0 ? wanted : (first?.cores ?? []);
    }, [coresText, first]);
    const lines = useMemo(
        () => (ceilings === undefined ? [] : ceilingLines(ceilings, { axis, cores, kernel, element })),
        [ceilings, axis, cores, kernel, element],
    );
    return { axes, axis, places, measured, cores, kernel, element, lines, least: leastShare({ view: "roofline", query }), loop: marked };
}
