import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { JSX } from "preact";

export type Draw = (context: CanvasRenderingContext2D, width: number, height: number, ratio: number) => void;

type Properties = Omit<JSX.IntrinsicElements["canvas"], "ref" | "width" | "height"> & { draw: Draw; height: number; depends: unknown[] };

/** A canvas as wide as its place, in the screen's own pixels; drawn anew when its size or what it depends on changes. */
export function Canvas({ draw, height, depends, ...rest }: Properties) {
    const canvas = useRef<HTMLCanvasElement>(null);
    const [width, setWidth] = useState(0);

    useLayoutEffect(() => {
        const element = canvas.current!;
        const observer = new ResizeObserver(() => setWidth(element.clientWidth));
        observer.observe(element);
        setWidth(element.clientWidth);
        return () => observer.disconnect();
    }, []);

    useLayoutEffect(() => {
        const element = canvas.current!;
        const ratio = devicePixelRatio || 1;
        if (!width) return;
        element.width = Math.round(width * ratio);
        element.height = Math.round(height * ratio);
        const context = element.getContext("2d")!;
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, width, height);
        draw(context, width, height, ratio);
    }, [width, height, ...depends]);

    return <canvas {...rest} ref={canvas} style={{ height: `${height}px` }} />;
}
