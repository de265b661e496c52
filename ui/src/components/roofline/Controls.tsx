import type { ComponentChildren } from "preact";
import { counted, share } from "../../logic/quantity";
import { AXES } from "../../logic/roofline/placed";
import type { Choice } from "../../logic/roofline/prediction";
import type { Route } from "../../logic/route";
import { changeQuery } from "../parts/location";
import type { Choices } from "./useChoices";

const LEAST = [0, 0.001, 0.005, 0.01, 0.05];

interface Option {
    value: string;
    text: string;
}

function Choose({ label, value, options, onChange }: { label: ComponentChildren; value: string; options: readonly Option[]; onChange: (value: string) => void }) {
    return (
        <label class="field">
            <span>{label}</span>
            <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
                {options.map((option) => <option key={option.value} value={option.value}>{option.text}</option>)}
            </select>
        </label>
    );
}

/** Each measured number of cores, and the least and the most together. */
function coreOptions(measured: readonly number[], chosen: readonly number[]): Option[] {
    const sets = measured.map((each) => [each]);
    const [least, most] = [measured[0], measured.at(-1)];
    if (least !== undefined && most !== undefined && least !== most) sets.push([least, most]);
    if (!sets.some((set) => set.join(".") === chosen.join("."))) sets.push([...chosen]);
    return sets.map((set) => ({ value: set.join("."), text: `${set.join(" and ")} ${set.length === 1 && set[0] === 1 ? "core" : "cores"}` }));
}

interface Given {
    route: Route;
    choices: Choices;
    recommendations: readonly Choice[];
    /** Recommendations with a prediction that the marked loop has. */
    own: number;
}

export function Controls({ route, choices, recommendations, own }: Given) {
    const { axes, axis, measured, cores, kernel, element, least, loop } = choices;
    const set = (key: string) => (value: string) => changeQuery(route, { [key]: value });
    const plain = (values: readonly string[]) => values.map((value) => ({ value, text: value }));
    return (
        <div class="toolbar" role="group" aria-label="What the roofline shows">
            {axes.length > 1 && (
                <Choose
                    label="Work"
                    value={axis}
                    options={axes.map((each) => ({ value: each, text: AXES[each].choice }))}
                    onChange={(value) => changeQuery(route, { axis: value, zoom: undefined })}
                />
            )}
            {measured.cores.length > 1 && <Choose label="Ceilings of" value={cores.join(".")} options={coreOptions(measured.cores, cores)} onChange={set("cores")} />}
            {axis === "flop" && measured.elements.length > 1 && element !== undefined && (
                <Choose label="Peaks of" value={element} options={plain(measured.elements)} onChange={set("element")} />
            )}
            {measured.kernels.length > 1 && kernel !== undefined && (
                <Choose label="Bandwidths of" value={kernel} options={plain(measured.kernels)} onChange={set("kernel")} />
            )}
            <Choose
                label="Loops with at least"
                value={String(least)}
                options={[...new Set([...LEAST, least])].sort((a, b) => a - b).map((each) => ({ value: String(each), text: each === 0 ? "any time" : `${share(each)} of the time` }))}
                onChange={(value) => changeQuery(route, { least: Number(value) * 100 || undefined })}
            />
            {recommendations.length > 0 && (
                <Choose
                    label="Predicted effect of"
                    value={route.query.get("effect") ?? ""}
                    options={[
                        { value: "", text: "nothing" },
                        ...(loop !== undefined && own > 0 ? [{ value: "loop", text: `everything recommended for loop ${loop}` }] : []),
                        ...recommendations.map((each) => ({ value: `rec:${each.id}`, text: `${each.title.replaceAll("`", "")} (${counted(each.loops, "loop", "loops")})` })),
                    ]}
                    onChange={set("effect")}
                />
            )}
        </div>
    );
}
