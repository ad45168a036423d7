// What this browser keeps for the page. A private window or a frame of another site may keep nothing:
// then it lasts as long as the page.

function open(name) {
  try {
    const storage = window[name];
    storage.setItem("jurybox-probe", "yes");
    storage.removeItem("jurybox-probe");
    return storage;
  } catch {
    const rows = new Map();
    return {
      getItem: (key) => rows.get(key) ?? null,
      setItem: (key, value) => void rows.set(key, String(value)),
      removeItem: (key) => void rows.delete(key),
    };
  }
}

export const local = open("localStorage");
export const session = open("sessionStorage");
