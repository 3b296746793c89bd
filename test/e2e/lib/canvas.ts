/** Whether the zoom has come to rest: every node is inside the window. Runs in the browser. */
export function wholeCanvasIsSeen(): boolean {
  return Array.from(document.querySelectorAll('.vue-flow__node')).every((node) => {
    const { left, top, right, bottom } = node.getBoundingClientRect();
    return left >= 0 && top >= 0 && right <= window.innerWidth && bottom <= window.innerHeight;
  });
}
