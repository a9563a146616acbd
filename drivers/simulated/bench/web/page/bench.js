// The bench in a browser: draws what the server says, and sends fingers and keys. Messages: ../messages.py.

const cabinet = document.getElementById("cabinet");
const glass = document.getElementById("glass");
const line = document.getElementById("line");
const role = document.getElementById("role");
const context = glass.getContext("2d", { alpha: false });
const HELP = "Click, touch, or press the key shown on a control";
const AGAIN_MS = 1000;
const REFUSAL_MS = 5000;

let socket = null;
let bench = null;
let parts = {};
let meters = {};
let facts = {};
let drawn = 0;
let refusal = "";
let refusalTimer = 0;

function send(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function connect() {
  const address = new URL("socket", location.href);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  socket = new WebSocket(address);
  socket.binaryType = "arraybuffer";
  socket.addEventListener("message", ({ data }) => {
    if (typeof data !== "string") picture(data);
    else receive(JSON.parse(data));
  });
  socket.addEventListener("close", () => {
    facts = {};
    drawn = 0;
    document.body.classList.add("dark");
    setTimeout(connect, AGAIN_MS);
    say();
  });
}

function receive(message) {
  if (message.type === "layout") build(message);
  else if (message.type === "change") change(message);
  else if (message.type === "refusal") {
    refusal = message.text;
    clearTimeout(refusalTimer);
    refusalTimer = setTimeout(() => { refusal = ""; say(); }, REFUSAL_MS);
    say();
  }
}

function change({ looks = {}, wheels = {}, facts: news = {} }) {
  for (const [name, look] of Object.entries(looks)) if (parts[name]) draw(parts[name], look);
  for (const [name, turns] of Object.entries(wheels)) if (meters[name]) turn(meters[name], turns);
  Object.assign(facts, news);
  if (news.faults) listDevices();
  if ("printer" in news || "tickets" in news || "returned_tickets" in news || "paper_mm" in news || "ticket_in_slot" in news) papers();
  document.body.classList.toggle("dark", !facts.lit);
  document.body.classList.toggle("watching", facts.plays === false);
  if ("plays" in news) for (const one of document.querySelectorAll("#side button")) one.disabled = !facts.plays;
  say();
}

function say() {
  const here = socket?.readyState === WebSocket.OPEN;
  const alert = here ? refusal || facts.alert : "The bench is not running; the page waits for it";
  const watching = facts.plays === false ? "Another viewer plays; you watch until they leave" : "";
  line.textContent = alert || watching || HELP;
  line.classList.toggle("alert", Boolean(alert));
  role.textContent = here ? `${facts.plays === false ? "you watch" : "you play"}, ${facts.viewers ?? 1} here` : "";
}

// The monitor.

async function picture(data) {
  const number = new DataView(data).getUint32(0);
  const bitmap = await createImageBitmap(new Blob([new Uint8Array(data, 4)], { type: "image/jpeg" }));
  if (number > drawn) {
    drawn = number;
    if (glass.width !== bitmap.width || glass.height !== bitmap.height) {
      glass.width = bitmap.width;
      glass.height = bitmap.height;
    }
    context.drawImage(bitmap, 0, 0);
    glass.dataset.number = number;
  }
  bitmap.close();
  send({ type: "shown", number });
}

function onGlass(event) {
  const box = glass.getBoundingClientRect();
  const scale = Math.min(box.width / glass.width, box.height / glass.height);
  const x = (event.clientX - box.left - (box.width - glass.width * scale) / 2) / (glass.width * scale);
  const y = (event.clientY - box.top - (box.height - glass.height * scale) / 2) / (glass.height * scale);
  return { x: Math.min(Math.max(x, 0), 1), y: Math.min(Math.max(y, 0), 1) };
}

function fingers(element, down, up) {
  const held = new Set();
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    held.add(event.pointerId);
    element.setPointerCapture(event.pointerId);
    down(`pointer ${event.pointerId}`, event);
  });
  for (const kind of ["pointerup", "pointercancel", "lostpointercapture"]) {
    element.addEventListener(kind, (event) => {
      if (held.delete(event.pointerId)) up(`pointer ${event.pointerId}`, event);
    });
  }
  element.addEventListener("contextmenu", (event) => event.preventDefault());
}

// The parts.

function measure(element, x, y, w, h) {
  for (const [name, value] of Object.entries({ x, y, w, h })) {
    if (value !== undefined) element.style.setProperty(`--${name}`, value);
  }
}

function image(name, x = 0, y = 0) {
  const element = document.createElement("img");
  element.alt = "";
  element.draggable = false;
  element.src = `art/${name}.png`;
  measure(element, x, y, ...bench.pictures[name]);
  return element;
}

function draw(part, [layers, labels]) {
  const drawing = layers.map(([name, x, y, below, turned]) => {
    const [w, h] = bench.pictures[name];
    const element = turned ? image(name, x + (h - w) / 2, y + (w - h) / 2 - below) : image(name, x, y - below);
    element.classList.toggle("turned", turned);
    if (!below) return element;
    const clip = document.createElement("span");
    clip.className = "clip";
    clip.style.top = `calc(${below} * var(--u))`;
    clip.append(element);
    return clip;
  });
  const words = labels.map(([text, x, y, readout]) => {
    const element = document.createElement("span");
    element.className = readout ? "label readout" : "label";
    element.textContent = text;
    measure(element, x, y);
    return element;
  });
  part.look.replaceChildren(...drawing, ...words);
  if (part.place.toggles) part.element.setAttribute("aria-pressed", layers[0][0].endsWith("_1"));
}

function build(message) {
  bench = message;
  parts = {};
  meters = {};
  facts = {};
  for (const old of cabinet.querySelectorAll(".group")) old.remove();
  for (const name of Object.keys(bench.pictures)) new Image().src = `art/${name}.png`;
  for (const { name, parts: places } of bench.groups) {
    const group = document.createElement("div");
    group.className = "group";
    group.dataset.group = name;
    group.append(...places.map(partOf));
    cabinet.append(group);
  }
}

function partOf(place) {
  const element = document.createElement(place.control ? "button" : "div");
  element.className = "part";
  element.dataset.name = place.name;
  measure(element, ...place.area);
  const look = document.createElement("span");
  element.append(look);
  parts[place.name] = { place, element, look };
  if (place.still) look.append(image(place.name));
  if (place.name.startsWith("meter_")) element.append(wheelsOf(place.name.slice("meter_".length)));
  if (place.control) operate(element, place);
  return element;
}

function operate(element, place) {
  element.type = "button";
  element.setAttribute("aria-label", place.label);
  if (place.key) element.setAttribute("aria-keyshortcuts", place.keycap);
  fingers(
    element,
    (finger) => send({ type: "grasp", finger, control: place.name }),
    (finger) => send({ type: "let_go", finger }),
  );
  const name = `keycap_${place.keycap}`;
  if (!bench.pictures[name]) return;
  const [w, h] = bench.pictures[name];
  const keycap = image(name, place.keycap_at[0] - w / 2, place.keycap_at[1] - h / 2);
  keycap.className = "keycap";
  element.append(keycap);
}

function wheelsOf(meter) {
  const [w, h] = bench.wheel_size;
  const frame = document.createElement("span");
  frame.className = "wheels";
  frame.setAttribute("role", "img");
  meters[meter] = { frame, wheels: [] };
  frame.style.left = `calc(${bench.wheels_at[0]} * var(--u))`;
  frame.style.top = `calc(${bench.wheels_at[1]} * var(--u))`;
  for (let place = 0; place < 7; place += 1) {
    const wheel = document.createElement("span");
    wheel.className = "wheel";
    wheel.style.left = `calc(${place * w} * var(--u))`;
    wheel.style.width = `calc(${w} * var(--u))`;
    wheel.style.height = `calc(${h} * var(--u))`;
    const strip = image(place === 6 ? "last_wheel" : "wheel");
    wheel.append(strip);
    frame.append(wheel);
    meters[meter].wheels.push(strip);
  }
  frame.append(image("meter_glass"));
  return frame;
}

function turn({ frame, wheels }, turns) {
  turns.forEach((at, place) => measure(wheels[place], 0, -at * bench.wheel_size[1] / bench.wheel_steps));
  frame.setAttribute("aria-label", turns.map((at) => Math.floor(at / bench.wheel_steps)).join(""));
}

// Beside the cabinet: tickets, cards, faults, acts in words.

const device = document.getElementById("device");
const fault = document.getElementById("fault");
const held = new Map();

function act(what) {
  send({ type: "act", what });
}

function sideButton(words, what) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = words;
  button.dataset.act = what;
  button.disabled = !facts.plays;
  return button;
}

function papers() {
  const inTray = facts.tickets ?? [];
  const returned = facts.returned_tickets ?? [];
  document.getElementById("tickets").hidden = !facts.printer && !inTray.length && !returned.length && !held.size;
  const roll = facts.printer ? `Printer: ${facts.printer}, ${(facts.paper_mm / 1000).toFixed(1)} m of paper` : "";
  document.getElementById("printer").textContent = facts.ticket_in_slot ? `${roll}; a ticket is in the note slot` : roll;
  document.getElementById("take").hidden = !inTray.length;
  const slips = inTray.map((slip) => slipOf(slip, slip.number ? "In the tray" : "In the tray, without a number"));
  slips.push(...returned.map((slip) => slipOf(slip, "Returned by the note slot", sideButton("Take", "take note"))));
  slips.push(...[...held.values()].map((slip) => slipOf(slip, "In your hand", sideButton("Put in", `ticket ${slip.number}`))));
  document.getElementById("slips").replaceChildren(...slips);
}

function slipOf(slip, where, ...buttons) {
  const item = document.createElement("li");
  if (slip.picture) {
    const picture = document.createElement("img");
    picture.src = `tickets/${slip.picture}`;
    picture.alt = `Ticket ${slip.number}`;
    item.append(picture);
  }
  const words = document.createElement("span");
  words.textContent = `${where}${slip.number ? `: ${slip.number}` : ""}${slip.whole === false ? ", torn" : ""}`;
  item.append(words, ...buttons);
  return item;
}

function inHand(what) {
  // A hand keeps what it takes, until it puts it in.
  if (what === "take ticket") for (const slip of facts.tickets ?? []) if (slip.number) held.set(slip.number, slip);
  if (what === "take note") {
    for (const slip of facts.returned_tickets ?? []) held.set(slip.number, { ...slip, picture: pictures.get(slip.number) });
  }
  if (what.startsWith("ticket ")) {
    const number = what.slice("ticket ".length);
    pictures.set(number, held.get(number)?.picture);
    held.delete(number);
  }
  papers();
}

const pictures = new Map();

document.getElementById("side").addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (button?.dataset.act) {
    act(button.dataset.act);
    inHand(button.dataset.act);
  } else if (button?.dataset.card) {
    send({ type: "grasp", finger: "card", control: button.dataset.card });
    send({ type: "let_go", finger: "card" });
  }
});

function options(select, names) {
  const chosen = select.value;
  select.replaceChildren(...names.map((name) => new Option(name.replaceAll("_", " "), name)));
  if (names.includes(chosen)) select.value = chosen;
}

function listDevices() {
  options(device, Object.keys(facts.faults));
  listFaults();
}

function listFaults() {
  options(fault, facts.faults?.[device.value] ?? []);
}

device.addEventListener("change", listFaults);
document.getElementById("faults").addEventListener("submit", (event) => {
  event.preventDefault();
  const begins = event.submitter?.value !== "end";
  const times = Math.max(1, Math.trunc(Number(document.getElementById("times").value)) || 1);
  const what = `fault ${device.value} ${fault.value} ${begins ? times : "off"}`;
  act(what);
  const item = document.createElement("li");
  item.textContent = what;
  const begun = document.getElementById("begun");
  begun.append(item);
  while (begun.children.length > 5) begun.firstChild.remove();
});
document.getElementById("words").addEventListener("submit", (event) => {
  event.preventDefault();
  const words = document.getElementById("act").value.trim();
  if (words) act(words);
});

// The keyboard.

function keyName(event) {
  return event.key === " " ? "space" : event.key.toLowerCase();
}

function isText(element) {
  return element instanceof HTMLInputElement || element instanceof HTMLSelectElement;
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || isText(event.target)) return;
  const focused = event.key === "Enter" ? event.target.dataset?.name : undefined;
  const control = focused ?? bench?.keys[keyName(event)];
  if (!control) return;
  event.preventDefault();
  if (!event.repeat) send({ type: "grasp", finger: `key ${keyName(event)}`, control });
});
addEventListener("keyup", (event) => {
  if (event.key === "Enter" || bench?.keys[keyName(event)]) send({ type: "let_go", finger: `key ${keyName(event)}` });
});
addEventListener("blur", () => send({ type: "let_go" }));

fingers(
  glass,
  (finger, event) => send({ type: "touch", finger, ...onGlass(event) }),
  (finger, event) => send({ type: "let_go", finger, ...onGlass(event) }),
);
connect();
