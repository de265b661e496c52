import { type ComponentChildren, Fragment } from "preact";

/** Labels with what is known; entries without content are left out, for what is absent is not zero. */
export function Facts({ items }: { items: readonly (readonly [label: string, content: ComponentChildren])[] }) {
    const known = items.filter(([, content]) => content !== undefined && content !== null && content !== false && content !== "");
    return (
        <dl class="facts">
            {known.map(([label, content]) => (
                <Fragment key={label}>
                    <dt>{label}</dt>
                    <dd>{content}</dd>
                </Fragment>
            ))}
        </dl>
    );
}
