// What a screenshot shows without its colours: where the boxes are, which fields of the picture hold something.
export async function structureOf(opened, browser) {
    const { page } = opened;
    await page.waitForTimeout(100);
    const boxes = await page.locator("header, nav, section, h1, h2, tr, li, .button").evaluateAll((elements) =>
        elements.map((element) => {
            const { x, y, width, height } = element.getBoundingClientRect();
            return [x, y, width, height].map(Math.round).join(" ");
        }));
    const shot = (await page.screenshot()).toString("base64");
    const decoder = await browser.newPage();
    const fields = await decoder.evaluate(async (source) => {
        const image = new Image();
        image.src = `data:image/png;base64,${source}`;
        await image.decode();
        const FIELD = 20;
        const canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        let sum = 0;
        const busy = [], { data } = context.getImageData(0, 0, image.width, image.height);
        const light = (x, y) => (data[4 * (y * image.width + x)] + data[4 * (y * image.width + x) + 1] + data[4 * (y * image.width + x) + 2]) / 765;
        for (let y = 0; y + FIELD <= image.height; y += FIELD)
            for (let x = 0; x + FIELD <= image.width; x += FIELD) {
                let least = 1, most = 0;
                for (let dy = 0; dy < FIELD; dy++)
                    for (let dx = 0; dx < FIELD; dx++) {
                        const value = light(x + dx, y + dy);
                        least = Math.min(least, value);
                        most = Math.max(most, value);
                        sum += value;
                    }
                // Text and figures are; the faint lines of frames are not.
                busy.push(most - least > 0.25);
            }
        return { busy, brightness: sum / (busy.length * FIELD * FIELD) };
    }, shot);
    await decoder.close();
    return { boxes, ...fields };
}
