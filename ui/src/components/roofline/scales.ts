/** Both logarithmic scales of the chart, in pixels of the drawing. */

import { type ScaleLogarithmic, scaleLog } from "d3-scale";
import type { Extent } from "../../logic/roofline/extent";
import type { Rectangle } from "../../logic/roofline/labels";
import type { Zoom } from "../../logic/roofline/transform";
import { inPixels } from "./useZoom";

export interface Scales {
    x: ScaleLogarithmic<number, number>;
    y: ScaleLogarithmic<number, number>;
}

export function scalesOf(extent: Extent, plot: Rectangle, zoom: Zoom): Scales {
    const x = scaleLog(extent.x, [plot.x, plot.x + plot.width]);
    const y = scaleLog(extent.y, [plot.y + plot.height, plot.y]);
    const transform = inPixels(zoom, plot);
    return { x: transform.rescaleX(x), y: transform.rescaleY(y) };
}
