// What the service menu may ask of the system: the clock set, the machine restarted or switched off. And pcscd, for a
// reader of staff cards. Nothing else.
polkit.addRule(function (action, subject) {
    var allowed = [
        "org.freedesktop.timedate1.set-time",
        "org.freedesktop.login1.reboot",
        "org.freedesktop.login1.reboot-multiple-sessions",
        "org.freedesktop.login1.power-off",
        "org.freedesktop.login1.power-off-multiple-sessions",
        "org.debian.pcsc-lite.access_pcsc",
        "org.debian.pcsc-lite.access_card"
    ];
    if (subject.user === "cabinet" && allowed.indexOf(action.id) >= 0) {
        return polkit.Result.YES;
    }
});
