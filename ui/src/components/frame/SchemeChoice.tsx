import { useState } from "preact/hooks";
import { SCHEMES, type Scheme } from "../../logic/scheme";
import { applyScheme, storeScheme, storedScheme } from "./scheme";

const NAMES: Record<Scheme, string> = { auto: "Auto", light: "Light", dark: "Dark" };

/** Light, dark, or as the system says. */
export function SchemeChoice() {
    const [chosen, setChosen] = useState(storedScheme);
    const choose = (scheme: Scheme) => {
        setChosen(scheme);
        applyScheme(scheme);
        storeScheme(scheme);
    };
    return (
        <fieldset class="scheme">
            <legend class="unseen">Colours</legend>
            {SCHEMES.map((scheme) => (
                <label key={scheme}>
                    <input type="radio" name="scheme" value={scheme} checked={scheme === chosen} onChange={() => choose(scheme)} />
                    <span>{NAMES[scheme]}</span>
                </label>
            ))}
        </fieldset>
    );
}
